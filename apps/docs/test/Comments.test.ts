import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { parseDoc } from "../src/DocComment.ts"
import { type Exported, type Exports, makeReader } from "../src/Modules.ts"
import { root } from "../src/Site.ts"

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, { readonly "@webagent/source"?: string } | null>>
}

const manifests = new Map(
  globSync("packages/*/*/package.json", { cwd: root }).map((path) => {
    const manifest: Manifest = JSON.parse(readFileSync(join(root, path), "utf8"))
    return [manifest.name, { ...manifest, folder: dirname(path) }] as const
  })
)
const { exportsOf } = makeReader(root, new Map([...manifests].map(([name, { folder }]) => [name, folder])))

/** The functions of some exports that lack a tag, as `Module.name: tags`. */
const lacking = (exports: Exports, inside = ""): ReadonlyArray<string> =>
  [...exports].flatMap(([name, overloads]) => {
    const [{ declaration, members }] = overloads as readonly [Exported]
    if (members !== undefined) return lacking(members, `${inside}${name}.`)
    const node = declaration?.type === "VariableDeclarator" ? declaration.init : declaration
    if (node?.type !== "ArrowFunctionExpression" && node?.type !== "FunctionDeclaration") return []
    const { params, returns } = parseDoc(overloads.map(({ doc }) => doc).find((doc) => doc !== "") ?? "")
    const tags = [
      ...(node.params.length > 0 && params.length === 0 ? ["@param"] : []),
      ...(returns ? [] : ["@returns"])
    ]
    return tags.length === 0 ? [] : [`${inside}${name}: ${tags.join(", ")}`]
  })

/** The functions without tags today. Lower a number whenever it falls. */
const most = { polling: 0, scenario: 0, simulation: 0, v2: 0, v3: 0, v4: 0, load: 0 }

describe("doc comments", () => {
  for (const [name, limit] of Object.entries(most))
    it(`of the functions of @webagent/${name} have parameters and results, except for at most ${limit}`, () => {
      const manifest = manifests.get(`@webagent/${name}`)
      const entries = name === "load" ? Object.keys(manifest?.exports ?? {}) : ["."]
      const functions = entries.flatMap((entry) => {
        const source = manifest?.exports[entry]?.["@webagent/source"]
        return source === undefined ? [] : lacking(exportsOf(join(root, manifest?.folder ?? "", source)))
      })
      assert.isAtMost(functions.length, limit, functions.join("\n"))
    })
})
