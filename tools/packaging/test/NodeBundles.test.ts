import { execFile, spawnSync } from "node:child_process"
import { cpSync, existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, inject, it } from "vitest"
import { root } from "../src/Package.ts"
import { type Service, startService } from "../src/Project.ts"

const project = inject("project")

/** The promise entries of each package, as the file of the entry and the name that is imported. */
const entries = {
  v2: { index: "", Account: "/account" },
  v3: { index: "", Account: "/account" },
  v4: { index: "", Account: "/account", Events: "/events" }
}

let service: Service
beforeAll(async () => {
  cpSync(join(root, "tools/packaging/test/programs"), project, { recursive: true })
  service = await startService(project)
})
afterAll(() => service?.stop())

const evaluate = async <A>(program: string): Promise<A> => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
    cwd: project,
    env: { ...process.env, NODE_OPTIONS: "" }
  })
  return JSON.parse(stdout)
}

describe.each(Object.entries(entries))("the bundles of @webagent/%s in Node", (version, files) => {
  const folder = join(project, "node_modules/@webagent", version)

  for (const [file, entry] of Object.entries(files)) {
    it(`promise${entry} is read from its package alone, in up to 4 files`, async () => {
      const loaded = await evaluate<ReadonlyArray<string>>(`
        import { registerHooks } from "node:module"
        const urls = []
        registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) })
        await import("@webagent/${version}/promise${entry}")
        console.log(JSON.stringify(urls))`)
      const own = pathToFileURL(join(folder, "dist/node/")).href
      const urls = loaded.filter((url) => !url.startsWith("node:"))
      assert.deepStrictEqual(
        urls.filter((url) => !url.startsWith(own)),
        []
      )
      assert.include(urls, `${own}promise/${file}.js`)
      assert.isAtMost(urls.length, 4)
    })

    it(`promise${entry} has the same exports as the modules for other runtimes`, async () => {
      const program = `
        const namesOf = (exports) => Object.entries(exports).map(([name, value]) => [name, typeof value, value.name])
        const read = async (folder) => namesOf(await import("${pathToFileURL(folder).href}/" + folder + "/promise/${file}.js"))
        console.log(JSON.stringify([await read("dist/node"), await read("dist")]))`
      const [bundle, modules] = await evaluate<ReadonlyArray<unknown>>(program)
      assert.deepStrictEqual(bundle, modules)
    })
  }

  it("include effect's license, and map their code to installed sources", () => {
    const licenses = readFileSync(join(folder, "dist/node/LICENSES.txt"), "utf8")
    assert.match(licenses, /^effect \d+\.\d+\.\d+, MIT\n\nMIT License\n\nCopyright \(c\)/u)
    const missing = globSync("dist/node/**/*.map", { cwd: folder }).flatMap((map) => {
      const { sources }: { readonly sources: ReadonlyArray<string> } = JSON.parse(
        readFileSync(join(folder, map), "utf8")
      )
      return sources.filter((source) => !existsSync(join(folder, dirname(map), source)))
    })
    assert.deepStrictEqual(missing, [])
  })
})

describe("bundles of several packages in one process", () => {
  it("recognize each other's errors, and accept layers and schemas of the installed effect", async () => {
    const { stderr, stdout } = await promisify(execFile)(process.execPath, ["bundles.mjs"], { cwd: project })
    assert.strictEqual(stderr, "")
    assert.deepStrictEqual(JSON.parse(stdout), {
      instances: [true, true, true, true, true, true],
      others: [false, false, false, false, false],
      caller: true,
      watched: ["run.queued", "run.dispatching", "run.running", "run.completed"],
      events: { price: 7 },
      undici: { price: 7 },
      layer: [{ price: 7 }, true],
      virtual: [true, true]
    })
  })

  it("close together when the process is interrupted", () => {
    const settings = { WEBAGENT_BASE_URL: service.address, WEBAGENT_API_KEY: service.apiKey }
    const { signal, stderr } = spawnSync(process.execPath, ["interrupted.mjs"], {
      cwd: project,
      encoding: "utf8",
      env: { ...process.env, NODE_OPTIONS: "", ...settings }
    })
    assert.strictEqual(signal, "SIGINT")
    assert.match(stderr, /continue and cost money: run /u)
    assert.match(stderr, /continue and cost money: session /u)
  })
})
