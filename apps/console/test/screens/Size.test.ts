import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "vitest"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const dist = fileURLToPath(new URL("../../dist/", import.meta.url))

interface Chunk {
  readonly file: string
  readonly isEntry?: boolean
  readonly isDynamicEntry?: boolean
  readonly imports?: ReadonlyArray<string>
}

/** Limits of compressed script, in bytes: of the first screen, and of what another one adds. */
const most = { first: 180_000, further: 40_000 }

describe("the size of the console", () => {
  let chunks: Readonly<Record<string, Chunk>>
  beforeAll(() => {
    execFileSync(process.execPath, [`${root}tools/workspace/console.mjs`, "build"], { stdio: "pipe" })
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
  const bytesOf = (files: Iterable<string>) =>
    [...files].reduce((sum, file) => sum + (file.endsWith(".js") ? readFileSync(`${dist}${file}.gz`).length : 0), 0)

  it("is at most 180 kB of compressed script for the first screen, and 40 kB more for each other part", () => {
    const first = scriptsOf("index.html")
    const overview = scriptsOf("src/features/overview/OverviewScreen.tsx")
    const loaded = new Set([...first, ...overview])
    assert.isAtMost(bytesOf(loaded), most.first)
    for (const [name, { isDynamicEntry }] of Object.entries(chunks)) {
      if (isDynamicEntry !== true) continue
      const added = [...scriptsOf(name)].filter((file) => !loaded.has(file))
      assert.isAtMost(bytesOf(added), most.further, name)
    }
  })

  it("loads no file of another host", () => {
    const page = readFileSync(`${dist}index.html`, "utf8")
    assert.deepStrictEqual(page.match(/(?:src|href)="(?!\/console\/)[^"]*"/gu), null)
    assert.notMatch(page, /<script(?![^>]*\bsrc=)|<style|\son\w+=/u)
  })
})
