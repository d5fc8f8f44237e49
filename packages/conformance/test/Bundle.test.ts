import { assert, describe, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const packages = fileURLToPath(new URL("../../", import.meta.url))

/** Every module that a program importing `entry` ships. */
const shipped = async (entry: string): Promise<ReadonlyArray<string>> => {
  const bundle = await rolldown({
    input: "entry",
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    platform: "neutral",
    resolve: { conditionNames: ["@webagent/source", "import", "default"] },
    logLevel: "silent",
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === "entry" ? fileURLToPath(new URL("entry.js", import.meta.url)) : undefined),
        load: (id) => (id.endsWith("entry.js") ? `export * from "${entry}"` : undefined)
      }
    ]
  })
  const { output } = await bundle.generate({})
  await bundle.close()
  return output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []))
}

describe("what a client ships", () => {
  for (const version of ["v2", "v3", "v4"] as const) {
    it(`@webagent/${version}: nothing of the server, of another version, or of Node`, async () => {
      const modules = await shipped(`@webagent/${version}`)
      const ours = modules.filter((id) => id.startsWith(packages)).map((id) => id.slice(packages.length))
      const folders = new Set(ours.filter((id) => !id.startsWith("conformance/")).map((id) => id.split("/")[0]))
      assert.includeMembers(["contract", "core", "polling", version], [...folders])
      assert.include([...folders], version)
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
    })
  }
})
