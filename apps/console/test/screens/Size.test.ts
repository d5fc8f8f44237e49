import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "vitest"
import { buildOnce } from "./Shared.ts"

const app = fileURLToPath(new URL("../../", import.meta.url))

interface Chunk {
  readonly file: string
  readonly isEntry?: boolean
  readonly isDynamicEntry?: boolean
  readonly imports?: ReadonlyArray<string>
}

/** Limits of compressed script, in bytes: of the first screen, of what another one adds, and of a page that is one file. */
const most = { first: 180_000, further: 40_000, file: 150_000 }

/** The pages of the app: their folder, what builds them, their first screen, and where their files are. */
const pages = [
  {
    name: "the console",
    folder: "dist",
    build: "console",
    first: "src/features/overview/OverviewScreen.tsx",
    files: /(?:src|href)="(?!\/console\/)[^"]*"/gu
  },
  {
    name: "the harness's screens",
    folder: "dist-harness",
    build: "harness",
    first: "nights/NightsScreen.tsx",
    files: /(?:src|href)="(?!\.\/assets\/)[^"]*"/gu
  }
] as const

for (const { build, files, first, folder, name } of pages) {
  describe(`the size of ${name}`, () => {
    const dist = `${app}${folder}/`
    let chunks: Readonly<Record<string, Chunk>>
    beforeAll(() => {
      buildOnce(build)
      chunks = JSON.parse(readFileSync(`${dist}.vite/manifest.json`, "utf8"))
    })

    /** The scripts that a chunk loads before it runs. */
    const scriptsOf = (name: string, seen = new Set<string>()): ReadonlySet<string> => {
      const chunk = chunks[name]
      if (chunk === undefined || seen.has(chunk.file)) return seen
      seen.add(chunk.file)
      for (const one of chunk.imports ?? []) scriptsOf(one, seen)
      return seen
    }
    const bytesOf = (names: Iterable<string>) =>
      [...names].reduce((sum, file) => sum + (file.endsWith(".js") ? readFileSync(`${dist}${file}.gz`).length : 0), 0)

    it("is at most 180 kB of compressed script for the first screen, and 40 kB more for each other part", () => {
      assert.isDefined(chunks[first])
      const loaded = new Set([...scriptsOf("index.html"), ...scriptsOf(first)])
      assert.isAtMost(bytesOf(loaded), most.first)
      for (const [name, { isDynamicEntry }] of Object.entries(chunks)) {
        if (isDynamicEntry !== true) continue
        const added = [...scriptsOf(name)].filter((file) => !loaded.has(file))
        assert.isAtMost(bytesOf(added), most.further, name)
      }
    })

    it("includes no file of another host", () => {
      const page = readFileSync(`${dist}index.html`, "utf8")
      assert.deepStrictEqual(page.match(files), null)
      assert.notMatch(page, /<script(?![^>]*\bsrc=)|<style|\son\w+=/u)
    })
  })
}

describe.each(["dist", "dist-harness", "dist-export"])("%s", (folder) => {
  it("has the licenses of its packages and of its font", () => {
    buildOnce(folder === "dist" ? "console" : "harness")
    const licenses = readFileSync(`${app}${folder}/LICENSES.md`, "utf8")
    for (const name of ["effect", "lucide-react", "react-dom"])
      assert.match(licenses, new RegExp(`^## ${name} - .+\\n\\n[^#]*Copyright`, "mu"))
    assert.include(readFileSync(`${app}${folder}/LICENSE-Inter.txt`, "utf8"), "SIL OPEN FONT LICENSE")
  })
})

describe("the single-file page", () => {
  it("is at most 150 kB of compressed script, and a classic script", () => {
    buildOnce("harness")
    for (const end of ["br", "gz"]) {
      assert.isAtMost(readFileSync(`${app}dist-export/export.js.${end}`).length, most.file, end)
    }
    const script = readFileSync(`${app}dist-export/export.js`, "utf8")
    assert.notMatch(script, /\bimport\(|\bfetch\(|\bXMLHttpRequest\b/u)
  })
})
