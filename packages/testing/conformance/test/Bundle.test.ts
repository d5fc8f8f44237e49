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
  "@webagent/v2": 59_040,
  "@webagent/v2/promise": 62_620,
  "@webagent/v3": 58_860,
  "@webagent/v3/promise": 62_660,
  "@webagent/v4": 62_550,
  "@webagent/v4/promise": 66_770
}

/** The same for an entry that a program imports besides the main one. */
const largestAddition = {
  "@webagent/v4/events": ["@webagent/v4", 2346],
  "@webagent/v4/promise/events": ["@webagent/v4/promise", 2430],
  "@webagent/v4/account": ["@webagent/v4", 2765],
  "@webagent/v4/promise/account": ["@webagent/v4/promise", 3260],
  "@webagent/v3/account": ["@webagent/v3", 3655],
  "@webagent/v3/promise/account": ["@webagent/v3/promise", 4390],
  "@webagent/v2/account": ["@webagent/v2", 2765],
  "@webagent/v2/promise/account": ["@webagent/v2/promise", 3570]
} as const

describe("a client's bundle", () => {
  for (const version of ["v2", "v3", "v4"] as const) {
    it(`of @webagent/${version} contains no code of the server, of another version, or of Node`, async () => {
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

  it("loads undici in Node only when it is needed", async () => {
    const [chunk] = await bundled("@webagent/v4/promise", {
      platform: "node",
      external: ["undici"],
      resolve: { conditionNames: ["@webagent/source", "node", "import", "default"] }
    })
    assert.deepStrictEqual([chunk?.imports.includes("undici"), chunk?.dynamicImports], [false, ["undici"]])
  })

  const sizeOf = async (entry: string, program?: string) =>
    gzipSync((await bundled(entry, {}, { minify: true }, program)).map((chunk) => chunk.code).join("")).length

  for (const [entry, most] of Object.entries(largest)) {
    it(`of ${entry} hasn't grown`, async () => {
      const size = await sizeOf(entry)
      assert.isAtMost(size, most)
      assert.isAtLeast(size, most - 2000, "it has become smaller: lower the ratchet")
    })
  }

  for (const [entry, [main, most]] of Object.entries(largestAddition)) {
    it(`of ${entry} adds no more to ${main} than before`, async () => {
      const both = await sizeOf(main, `export * from "${main}"; export * from "${entry}"`)
      const addition = both - (await sizeOf(main))
      assert.isAtMost(addition, most)
      assert.isAtLeast(addition, most - 500, "it has become smaller: lower the ratchet")
    })
  }

  it("of runs and browsers doesn't contain all of @webagent/v4", async () => {
    const program =
      'import { V4 } from "@webagent/v4"; export { Browsers, Runs } from "@webagent/v4"; export const layer = V4.layer()'
    assert.isAtMost(await sizeOf("@webagent/v4", program), 61_600)
  })
})
