import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "vitest"
import { parseDoc } from "../src/DocComment.ts"
import { type Exported, type Exports, makeReader, type Module } from "../src/Modules.ts"
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

/** A function or a method that people call, and its doc comment. */
interface Callable {
  readonly name: string
  readonly module: Module
  readonly start: number
  readonly doc: string
  readonly params: number
}

interface Node {
  readonly type: string
}

/** The number of parameters of a function, of a type of one, or of an effect that is one; undefined for other nodes. */
const paramsOf = (module: Module, node: Node | null | undefined): number | undefined => {
  const {
    arguments: given,
    callee,
    members,
    params,
    type,
    typeAnnotation
  } = (node ?? {}) as {
    readonly [Key in "arguments" | "members" | "params"]?: ReadonlyArray<Node>
  } & {
    readonly type?: string
    readonly typeAnnotation?: Node | null
    readonly callee?: { start: number; end: number }
  }
  switch (type) {
    case "ArrowFunctionExpression":
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "TSDeclareFunction":
    case "TSFunctionType":
    case "TSMethodSignature":
    case "TSCallSignatureDeclaration":
      return params?.length
    case "TSTypeAnnotation":
    case "TSPropertySignature":
      return paramsOf(module, typeAnnotation)
    // overloads: the last one has most parameters
    case "TSTypeLiteral":
      return members
        ?.filter((each) => each.type === "TSCallSignatureDeclaration")
        .map((each) => paramsOf(module, each))
        .at(-1)
    case "CallExpression":
      return callee !== undefined && module.source.slice(callee.start, callee.end).startsWith("Effect.fn")
        ? given?.map((each) => paramsOf(module, each)).find((count) => count !== undefined)
        : undefined
    default:
      return undefined
  }
}

interface Member extends Node {
  readonly start: number
  readonly key?: { readonly type: string; readonly start: number; readonly end: number }
  readonly kind?: string
  readonly value?: Node | null
}

/** The methods among the members of a class, a service's shape or an interface. */
const methodsOf = (owner: string, module: Module, members: ReadonlyArray<Member>): ReadonlyArray<Callable> =>
  members.flatMap((member, index) => {
    const nameOf = (other: Member | undefined) =>
      other?.key === undefined ? undefined : module.source.slice(other.key.start, other.key.end)
    const name = nameOf(member)
    const params = paramsOf(module, member.value ?? member)
    const isPrivate =
      member.key?.type === "PrivateIdentifier" || /^\s*private\b/u.test(module.source.slice(member.start))
    // the first overload has the comment
    const isAgain = name === nameOf(members[index - 1])
    if (name === undefined || params === undefined || isPrivate || isAgain) return []
    if (member.kind === "constructor" || member.kind === "get" || member.kind === "set") return []
    return [{ name: `${owner}#${name}`, module, start: member.start, doc: module.docBefore(member.start), params }]
  })

/** The functions and methods that a declaration brings. */
const callablesOf = (name: string, { declaration, module }: Exported, doc: string): ReadonlyArray<Callable> => {
  if (declaration?.type === "TSInterfaceDeclaration") return methodsOf(name, module, declaration.body.body)
  if (declaration?.type === "ClassDeclaration") {
    const base = declaration.superClass
    // class Runs extends Context.Service<Runs, { ... }>()("id")
    const types =
      base?.type === "CallExpression" && base.callee.type === "CallExpression" ? base.callee.typeArguments : undefined
    const shape = types?.params[1]
    return [
      ...methodsOf(name, module, declaration.body.body as ReadonlyArray<Member>),
      ...(shape?.type === "TSTypeLiteral" ? methodsOf(name, module, shape.members) : [])
    ]
  }
  const isVariable = declaration?.type === "VariableDeclarator"
  const params = isVariable
    ? (paramsOf(module, declaration.init) ?? paramsOf(module, declaration.id.typeAnnotation))
    : paramsOf(module, declaration)
  return declaration === undefined || params === undefined
    ? []
    : [{ name, module, start: declaration.start, doc, params }]
}

const callablesIn = (exports: Exports, inside = ""): ReadonlyArray<Callable> =>
  [...exports].flatMap(([short, overloads]) => {
    const name = `${inside}${short}`
    const doc = overloads.map((each) => each.doc).find((each) => each !== "") ?? ""
    return overloads.flatMap((exported, index) => {
      if (exported.members !== undefined) return callablesIn(exported.members, `${name}.`)
      const callables = callablesOf(name, exported, doc)
      // overloads of a function are one function
      return index > 0 && callables.some((each) => each.name === name) ? [] : callables
    })
  })

/** Everything that people can call in a package, by all its entry points. Re-exports belong to their own package. */
const callables = (name: string): ReadonlyArray<Callable> => {
  const manifest = manifests.get(`@webagent/${name}`)
  const all = Object.values(manifest?.exports ?? {}).flatMap((entry) => {
    const source = entry?.["@webagent/source"]
    return source === undefined ? [] : callablesIn(exportsOf(join(root, manifest?.folder ?? "", source)))
  })
  const own = all.filter(({ module }) => module.file.startsWith(`${manifest?.folder}/`))
  return [...new Map(own.map((each) => [`${each.module.file}:${each.start}`, each])).values()]
}

/** The parts that a doc comment lacks, as `file:line: name: parts`. */
const lacking = ({ doc, module, name, params: count, start }: Callable): ReadonlyArray<string> => {
  const { examples, params, returns, text } = parseDoc(doc)
  const parts = [
    ...(text === "" ? ["a sentence"] : []),
    ...(params.filter((param) => param.text !== "").length < count ? ["@param"] : []),
    ...(returns === undefined ? ["@returns"] : []),
    // only a fence is compiled and run
    ...(examples.some((example) => example.startsWith("```ts\n")) ? [] : ["@example"])
  ]
  const line = module.source.slice(0, start).split("\n").length
  return parts.length === 0 ? [] : [`${module.file}:${line}: ${name}: ${parts.join(", ")}`]
}

/** The packages, and some of the names that people call in each. */
const packages = {
  core: ["RetryPolicy.within", "LedgerFile.make", "Browsers#use", "Transport#exchange", "Answered#header"],
  polling: ["PollSchedule.backoff", "Waiter.Waiter#watch", "PollBudget#layer"],
  scenario: ["check.equal", "scenario", "Control.Control#inject", "PlainCheck#equal"],
  simulation: ["simulate", "RunningService#assertClean", "Control#advance", "Faults#layer"],
  load: ["run", "parse", "Mix#share"],
  v2: ["Tasks#create", "V2.layer", "totalCost"],
  v3: ["Sessions#createAndWait", "V3.layer", "WorkspaceLists#list"],
  v4: ["Runs#createAndWait", "Events#watch", "V4.layer", "account"]
}

describe("doc comments", () => {
  for (const [name, some] of Object.entries(packages)) {
    it(`of @webagent/${name} describe each function with its parameters, its result and an example`, () => {
      const all = callables(name)
      assert.includeMembers(
        all.map((each) => each.name),
        some
      )
      assert.deepStrictEqual(all.flatMap(lacking), [])
    })
  }
})
