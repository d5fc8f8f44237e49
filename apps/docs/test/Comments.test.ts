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

/** The methods of a service's shape that lack a tag, as `Service.method: tags`. */
const lackingInService = (name: string, { declaration, module }: Exported): ReadonlyArray<string> => {
  const base = declaration?.type === "ClassDeclaration" ? declaration.superClass : undefined
  // class Runs extends Context.Service<Runs, { ... }>()("id")
  const types =
    base?.type === "CallExpression" && base.callee.type === "CallExpression" ? base.callee.typeArguments : undefined
  const shape = types?.params[1]
  if (shape?.type !== "TSTypeLiteral") return [`${name} is no service`]
  return shape.members.flatMap((member) => {
    const type = member.type === "TSPropertySignature" ? member.typeAnnotation?.typeAnnotation : undefined
    const calls = type?.type === "TSTypeLiteral" ? type.members : [type]
    const call = calls.find((each) => each?.type === "TSFunctionType" || each?.type === "TSCallSignatureDeclaration")
    if (call === undefined) return []
    const { examples, params, returns } = parseDoc(module.docBefore(member.start))
    const tags = [
      ...(params.length < call.params.length ? ["@param"] : []),
      ...(returns === undefined ? ["@returns"] : []),
      ...(examples.length === 0 ? ["@example"] : [])
    ]
    const line = module.source.slice(0, member.start).split("\n").length
    return tags.length === 0 ? [] : [`${module.file}:${line}: ${tags.join(", ")}`]
  })
}

/** The services whose methods people call, by their entry point. */
const services = {
  "@webagent/v2": { ".": ["Sessions", "Tasks"] },
  "@webagent/v3": { ".": ["Sessions"] },
  "@webagent/v4": { ".": ["Runs", "Sessions"], "./events": ["Events"] },
  "@webagent/simulation": { ".": ["Control"] }
}

describe("the methods of services", () => {
  for (const [name, entries] of Object.entries(services))
    it(`of ${name} have parameters, results and examples`, () => {
      const manifest = manifests.get(name)
      const methods = Object.entries(entries).flatMap(([entry, names]) => {
        const source = manifest?.exports[entry]?.["@webagent/source"] ?? ""
        const all = exportsOf(join(root, manifest?.folder ?? "", source))
        return names.flatMap((service) => (all.get(service) ?? []).flatMap((each) => lackingInService(service, each)))
      })
      assert.deepStrictEqual(methods, [])
    })
})
