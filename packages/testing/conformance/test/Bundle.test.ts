import { assert, describe, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { bundled } from "./bundled.ts"

const packages = fileURLToPath(new URL("../../../", import.meta.url))

/** Every module that a program importing `entry` ships. */
const shipped = async (entry: string): Promise<ReadonlyArray<string>> =>
  (await bundled(entry)).flatMap((chunk) => chunk.moduleIds)

/**
 * A ratchet, in bytes after gzip: lower it when a client gets smaller. Where they are, tools/bench/RESULTS.md tells; v4 is
 * not to grow beyond 63,000, and its promise client beyond 67,000.
 */
const largest = {
  "@webagent/v2": 59_000,
  "@webagent/v2/promise": 63_000,
  "@webagent/v3": 59_850,
  "@webagent/v3/promise": 63_950,
  "@webagent/v4": 63_000,
  "@webagent/v4/promise": 67_900
}

describe("what a client ships", () => {
  for (const version of ["v2", "v3", "v4"] as const) {
    it(`@webagent/${version}: nothing of the server, of another version, or of Node`, async () => {
      const modules = await shipped(`@webagent/${version}`)
      const ours = modules.filter((id) => id.startsWith(packages)).map((id) => id.slice(packages.length))
      const folders = new Set(ours.filter((id) => !id.startsWith("testing/")).map((id) => id.split("/src/")[0]))
      assert.includeMembers(["contract", "client/core", "client/polling", `client/${version}`], [...folders])
      assert.include([...folders], `client/${version}`)
      const others = ["v2", "v3", "v4"].filter((other) => other !== version)
      assert.deepStrictEqual(
        ours.filter((id) => others.some((other) => id.startsWith(`contract/src/${other}/`))),
        []
      )
      assert.deepStrictEqual(
        modules.filter((id) => id.startsWith("node:") || id.includes("platform-node") || /\/undici\//u.test(id)),
        []
      )
      // the barrel would triple the size
      assert.deepStrictEqual(
        modules.filter((id) => id.endsWith("/effect/dist/index.js")),
        []
      )
      // what builds and documents an HttpApi is 7 kB; clients have tables of operations
      assert.deepStrictEqual(
        modules.filter((id) => id.includes("/effect/dist/http-api/")),
        []
      )
    })
  }

  it("in Node: undici, loaded when it is needed", async () => {
    const [chunk] = await bundled("@webagent/v4/promise", {
      platform: "node",
      external: ["undici"],
      resolve: { conditionNames: ["@webagent/source", "node", "import", "default"] }
    })
    assert.deepStrictEqual([chunk?.imports.includes("undici"), chunk?.dynamicImports], [false, ["undici"]])
  })

  for (const [entry, most] of Object.entries(largest)) {
    it(`${entry}: no more than it did`, async () => {
      const code = (await bundled(entry, {}, { minify: true })).map((chunk) => chunk.code).join("")
      const size = gzipSync(code).length
      assert.isAtMost(size, most)
      assert.isAtLeast(size, most - 2000, "it has become smaller: lower the ratchet")
    })
  }
})
