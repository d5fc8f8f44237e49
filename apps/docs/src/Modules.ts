import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseSync } from "rolldown/utils"

type Statement = ReturnType<typeof parseSync>["program"]["body"][number]
// one interface of the parser can have several types: `Class` is a declaration or an expression
type NodeOf<Type extends string, Node = Statement> = Node extends { readonly type: infer Own }
  ? Type extends Own
    ? Node
    : never
  : never

/** The declaration of an exported name, as the parser returns it. */
export type Declaration =
  | NodeOf<"ClassDeclaration">
  | NodeOf<"FunctionDeclaration">
  | NodeOf<"TSInterfaceDeclaration">
  | NodeOf<"TSTypeAliasDeclaration">
  | NodeOf<"VariableDeclaration">["declarations"][number]

/** A module of the workspace. */
export interface Module {
  /** Relative to the root. */
  readonly file: string
  readonly source: string
  /** Returns the doc comment of the node that starts there, without its asterisks. */
  readonly docBefore: (start: number) => string
}

/** A declaration that an entry point exports; `members` is set for `export * as Name`. */
export interface Exported {
  readonly module: Module
  readonly doc: string
  readonly declaration: Declaration | undefined
  readonly members: Exports | undefined
}

/** The exports of a module. A name can have several declarations: overloads, or a schema and its type. */
export type Exports = ReadonlyMap<string, ReadonlyArray<Exported>>

interface Parsed {
  readonly module: Module
  readonly body: ReadonlyArray<Statement>
}

const parse = (root: string, path: string): Parsed => {
  const source = readFileSync(path, "utf8")
  const { comments, program } = parseSync(path, source)
  const docs = comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"))
  const docBefore = (start: number) => {
    const comment = docs.findLast(({ end }) => end <= start)
    if (comment === undefined || !/^\s*(?:export\s*)?$/u.test(source.slice(comment.end, start))) return ""
    const lines = comment.value.replace(/^\*/u, "").split("\n")
    return lines
      .map((line) => line.replace(/^\s*\* ?/u, ""))
      .join("\n")
      .trim()
  }
  return { module: { file: path.slice(root.length + 1), source, docBefore }, body: program.body }
}

/** The declarations in a statement, by name. */
const declarationsOf = (statement: Statement): ReadonlyArray<readonly [string, Declaration]> => {
  const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
  switch (node?.type) {
    case "ClassDeclaration":
    case "FunctionDeclaration":
    case "TSDeclareFunction":
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
      return node.id === null ? [] : [[node.id.name, node]]
    case "VariableDeclaration":
      return node.declarations.flatMap((each) => (each.id.type === "Identifier" ? [[each.id.name, each] as const] : []))
    default:
      return []
  }
}

const nameOf = (node: { readonly type: string; readonly name?: string; readonly value?: string }) =>
  node.name ?? node.value ?? ""

/** Reads modules of the workspace by their syntax alone, so that signatures stay as their authors wrote them. */
export const makeReader = (root: string, packages: ReadonlyMap<string, string>) => {
  const parsedByPath = new Map<string, Parsed>()
  const parsed = (path: string): Parsed => {
    const result = parsedByPath.get(path) ?? parse(root, path)
    parsedByPath.set(path, result)
    return result
  }

  /** The path of an imported module; undefined outside of the workspace. */
  const resolve = (from: string, specifier: string): string | undefined => {
    if (specifier.startsWith(".")) return join(dirname(from), specifier)
    const [scope = "", name = "", ...rest] = specifier.split("/")
    const folder = packages.get(`${scope}/${name}`)
    if (folder === undefined) return undefined
    const { exports } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
    const entry = exports[rest.length === 0 ? "." : `./${rest.join("/")}`]?.["@webagent/source"]
    const path = entry === undefined ? undefined : join(root, folder, entry)
    return path !== undefined && existsSync(path) ? path : undefined
  }

  const declared = (path: string): Map<string, Array<Exported>> => {
    const { body, module } = parsed(path)
    const byName = new Map<string, Array<Exported>>()
    for (const statement of body)
      for (const [name, declaration] of declarationsOf(statement)) {
        const doc = module.docBefore(statement.start)
        byName.set(name, [...(byName.get(name) ?? []), { module, doc, declaration, members: undefined }])
      }
    return byName
  }

  /** Every export of a module, including re-exports. */
  const exportsOf = (path: string, above: ReadonlySet<string> = new Set()): Exports => {
    const byName = new Map<string, ReadonlyArray<Exported>>()
    if (above.has(path)) return byName
    const seen = new Set(above).add(path)
    const { body, module } = parsed(path)
    const own = declared(path)
    const add = (name: string, exported: ReadonlyArray<Exported> | undefined) => {
      if (exported !== undefined && !byName.has(name)) byName.set(name, exported)
    }
    const namespace = (target: string, start: number): ReadonlyArray<Exported> => [
      { module, doc: module.docBefore(start), declaration: undefined, members: exportsOf(target, seen) }
    ]
    const imported = (local: string): ReadonlyArray<Exported> | undefined => {
      for (const statement of body) {
        if (statement.type !== "ImportDeclaration") continue
        const specifier = statement.specifiers.find((each) => each.local.name === local)
        const target = specifier === undefined ? undefined : resolve(path, statement.source.value)
        if (specifier === undefined || target === undefined) continue
        if (specifier.type === "ImportNamespaceSpecifier") return namespace(target, statement.start)
        if (specifier.type === "ImportSpecifier") return exportsOf(target, seen).get(nameOf(specifier.imported))
      }
      return undefined
    }
    for (const statement of body) {
      if (statement.type === "ExportAllDeclaration") {
        const target = resolve(path, statement.source.value)
        if (target === undefined) continue
        if (statement.exported !== null) add(nameOf(statement.exported), namespace(target, statement.start))
        else for (const [name, exported] of exportsOf(target, seen)) add(name, exported)
      } else if (statement.type === "ExportNamedDeclaration") {
        for (const [name] of declarationsOf(statement)) add(name, own.get(name))
        const target = statement.source === null ? undefined : resolve(path, statement.source.value)
        for (const { exported, local } of statement.specifiers) {
          const name = nameOf(local)
          if (statement.source === null) add(nameOf(exported), own.get(name) ?? imported(name))
          else if (target !== undefined) add(nameOf(exported), exportsOf(target, seen).get(name))
        }
      }
    }
    return byName
  }

  return { exportsOf }
}
