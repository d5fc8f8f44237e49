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
    it(`of functions of @webagent/${name} have parameters and results, except for at most ${limit}`, () => {
      const manifest = manifests.get(`@webagent/${name}`)
      const entries = name === "load" ? Object.keys(manifest?.exports ?? {}) : ["."]
      const functions = entries.flatMap((entry) => {
        const source = manifest?.exports[entry]?.["@webagent/source"]
        return source === undefined ? [] : lacking(exportsOf(join(root, manifest?.folder ?? "", source)))
      })
      assert.isAtMost(functions.length, limit, functions.join("\n"))
    })
})

/** The methods of a service's shape, or of an interface, that lack a tag, as `file:line: tags`. */
const lackingInMethods = (name: string, { declaration, module }: Exported): ReadonlyArray<string> => {
  const base = declaration?.type === "ClassDeclaration" ? declaration.superClass : undefined
  // class Runs extends Context.Service<Runs, { ... }>()("id")
  const types =
    base?.type === "CallExpression" && base.callee.type === "CallExpression" ? base.callee.typeArguments : undefined
  const shape = types?.params[1]
  const members =
    declaration?.type === "TSInterfaceDeclaration"
      ? declaration.body.body
      : shape?.type === "TSTypeLiteral"
        ? shape.members
        : []
  if (members.length === 0) return [`${name} has no methods`]
  let documented = ""
  return members.flatMap((member) => {
    const type = member.type === "TSPropertySignature" ? member.typeAnnotation?.typeAnnotation : undefined
    const calls = type?.type === "TSTypeLiteral" ? type.members : [member, type]
    const call = calls.find(
      (each) =>
        each?.type === "TSMethodSignature" ||
        each?.type === "TSFunctionType" ||
        each?.type === "TSCallSignatureDeclaration"
    )
    if (call === undefined || !("key" in member)) return []
    const method = module.source.slice(member.key.start, member.key.end)
    // the first overload has the comment
    if (method === documented) return []
    documented = method
    const { examples, params, returns } = parseDoc(module.docBefore(member.start))
    const tags = [
      ...(params.filter(({ text }) => text !== "").length < call.params.length ? ["@param"] : []),
      ...(returns === undefined ? ["@returns"] : []),
      ...(examples.length === 0 ? ["@example"] : [])
    ]
    const line = module.source.slice(0, member.start).split("\n").length
    return tags.length === 0 ? [] : [`${module.file}:${line}: ${tags.join(", ")}`]
  })
}

/** The services and interfaces whose methods people call, by their entry point. */
const called = {
  "@webagent/v2": { ".": ["Sessions", "Tasks"], "./promise": ["Sessions", "Tasks"] },
  "@webagent/v3": { ".": ["Sessions"], "./promise": ["Sessions"] },
  "@webagent/v4": { ".": ["Runs", "Sessions"], "./events": ["Events"], "./promise": ["Runs", "Sessions"] },
  "@webagent/simulation": { ".": ["Control"] }
}

describe("method comments", () => {
  for (const [name, entries] of Object.entries(called))
    it(`of ${name} have parameters, results and examples`, () => {
      const manifest = manifests.get(name)
      const methods = Object.entries(entries).flatMap(([entry, names]) => {
        const source = manifest?.exports[entry]?.["@webagent/source"] ?? ""
        const all = exportsOf(join(root, manifest?.folder ?? "", source))
        return names.flatMap((each) => all.get(each)?.flatMap((one) => lackingInMethods(each, one)) ?? [`${each}?`])
      })
      assert.deepStrictEqual(methods, [])
    })
})
