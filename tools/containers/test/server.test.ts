import { execFileSync, spawn, spawnSync } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { bundleServer, nodeOptions, separate } from "../src/build/server.ts"
import { root } from "../src/build/workspace.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-bundle-"))
const program = join(folder, "app", "webagent-server.mjs")

beforeAll(async () => {
  execFileSync(process.execPath, [join(root, "tools/workspace/console.mjs"), "build"], { stdio: "ignore" })
  await bundleServer(folder)
}, 600_000)
afterAll(() => rmSync(folder, { recursive: true }))

describe("the bundled server", () => {
  it("runs outside of the workspace, and serves its console", { timeout: 120_000 }, async () => {
    const server = spawn(process.execPath, [program, "serve", "--port", "0", "--data", join(folder, "server.db")], {
      cwd: folder,
      env: { PATH: process.env["PATH"], WEBAGENT_SERVER_API_KEY: `wak_${"0".repeat(48)}` }
    })
    let printed = ""
    const address = await new Promise<string>((resolve, reject) => {
      for (const stream of [server.stdout, server.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          printed += text
          const [found] = /http:\/\/127\.0\.0\.1:\d+/u.exec(printed) ?? []
          if (found !== undefined) resolve(found)
        })
      }
      server.on("exit", () => reject(new Error(printed)))
    })
    const response = await fetch(`${address}/console`)
    assert.strictEqual(response.status, 200, printed)
    assert.include(await response.text(), "<script")
    assert.strictEqual((await fetch(`${address}/health`)).status, 200)
    server.removeAllListeners("exit").kill("SIGTERM")
    const code = await new Promise((resolve) => server.on("exit", resolve))
    assert.strictEqual(code, 0, printed)
  })

  it("has every package that a module loads by its address", () => {
    const sources = globSync(
      ["packages/*/*/src/**/*.ts", "packages/{contract,cli}/src/**/*.ts", "apps/server/src/**/*.ts"],
      {
        cwd: root
      }
    )
    const resolved = sources.flatMap((file) =>
      Array.from(
        readFileSync(join(root, file), "utf8").matchAll(/import\.meta\.resolve\("([^"]+)"\)/gu),
        ([, name]) => [name, file]
      )
    )
    assert.deepStrictEqual(resolved, [...separate])
    for (const name of separate.keys()) assert.isTrue(existsSync(join(folder, "node_modules", name, "package.json")))
    const script = `await import(import.meta.resolve("unpdf"))`
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: join(folder, "app"),
      encoding: "utf8"
    })
    assert.strictEqual(status, 0, stderr)
  })

  it("has the licenses of its parts, and the list of its packages", () => {
    const notices = readFileSync(join(folder, "NOTICES"), "utf8")
    for (const name of ["effect", "@ai-sdk/openai", "ws", "unpdf"])
      assert.match(notices, new RegExp(`^${name} \\d`, "mu"))
    assert.match(readFileSync(join(folder, "web/LICENSES.md"), "utf8"), /^## react-dom /mu)
    const { bomFormat, components } = JSON.parse(readFileSync(join(folder, "sbom.cdx.json"), "utf8"))
    assert.strictEqual(bomFormat, "CycloneDX")
    assert.includeMembers(
      components.map(({ name }: { readonly name: string }) => name),
      ["effect", "ws"]
    )
    assert.isNotEmpty(globSync("compiled/**/*", { cwd: folder }))
  })

  it("starts with the options for which it was compiled", () => {
    const [entry = ""] =
      /^ENTRYPOINT .*webagent-server\.mjs.*$/mu.exec(readFileSync(join(root, "deploy/Dockerfile"), "utf8")) ?? []
    const command: ReadonlyArray<string> = JSON.parse(entry.slice("ENTRYPOINT ".length))
    assert.deepStrictEqual(command.slice(command.indexOf("node") + 1, -1), nodeOptions)
  })
})
