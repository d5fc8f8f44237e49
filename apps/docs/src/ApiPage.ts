import { source } from "./Site.ts"
import { type DocComment, parseDoc } from "./DocComment.ts"
import { code, prose } from "./Markdown.ts"
import type { Declaration, Exported, Exports, Module } from "./Modules.ts"

interface Span {
  readonly start: number
  readonly end: number
}

type Class = Extract<Declaration, { readonly superClass: unknown }>
type Interface = Extract<Declaration, { readonly type: "TSInterfaceDeclaration" }>
type Member = Interface["body"]["body"][number] | Class["body"]["body"][number]

const unindent = (text: string): string => {
  const lines = text.split("\n")
  const indents = lines.slice(1).flatMap((line) => (line.trim() === "" ? [] : [line.search(/\S/u)]))
  const least = Math.min(...indents)
  return lines.map((line, index) => (index === 0 ? line : line.slice(least))).join("\n")
}

/** Text of a part of a module, without outer indentation. */
const commentedText = ({ source }: Module, { end, start }: Span): string => unindent(source.slice(start, end))

/** The same without comments. */
const textOf = ({ source }: Module, { end, start }: Span): string =>
  unindent(
    source
      .slice(start, end)
      .replaceAll(/[ \t]*\/\*\*[\s\S]*?\*\/\n?/gu, "")
      .replaceAll(/^[ \t]*\/\/.*\n/gmu, "")
      .replaceAll(/\n{2,}/gu, "\n")
  )

const drawTags = ({ errors, examples, params, returns }: DocComment): ReadonlyArray<string> => [
  ...(params.length === 0
    ? []
    : ["**Parameters**", "", ...params.map(({ name, text }) => `- \`${name}\`: ${prose(text)}`), ""]),
  ...(returns === undefined ? [] : [`**Returns** ${prose(returns)}`, ""]),
  ...(errors.length === 0 ? [] : ["**Errors**", "", ...errors.map((each) => `- ${prose(each)}`), ""]),
  ...examples.flatMap((each) => ["**Example**", "", each, ""])
]

/** Returns whether the methods of an interface have parameters, errors or examples in their comments. */
const hasTags = (module: Module, { body }: Interface): boolean =>
  body.body.some(({ start }) => /^@/mu.test(module.docBefore(start)))

/** Groups of a page, in their order. */
const kinds = [
  "Classes",
  "Services",
  "Functions",
  "Modules",
  "Schemas",
  "Values",
  "Interfaces",
  "Types",
  "Errors"
] as const
type Kind = (typeof kinds)[number]

const superText = ({ module }: Exported, { superClass }: Class) =>
  superClass === null ? "" : textOf(module, superClass)

/** Returns the group of an export. */
export const kindOf = (exported: Exported, name: string): Kind => {
  if (/(?:Error|OutcomeUnknown)$/u.test(name)) return "Errors"
  const { declaration, module } = exported
  switch (declaration?.type) {
    case undefined:
      return "Modules"
    case "ClassDeclaration": {
      const base = superText(exported, declaration)
      if (/^Context\.(?:Service|Reference)\b/u.test(base)) return "Services"
      return base.startsWith("Schema.TaggedError") ? "Errors" : "Classes"
    }
    case "TSInterfaceDeclaration":
      return hasTags(module, declaration) ? "Services" : "Interfaces"
    case "TSTypeAliasDeclaration":
      return "Types"
    case "VariableDeclarator": {
      const { init } = declaration
      if (init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression") return "Functions"
      if (init === null) return "Values"
      return /^(?:Schema\.|openRecord\(|answer\(|openStatus\()/u.test(textOf(module, init)) ? "Schemas" : "Values"
    }
    default:
      return "Functions"
  }
}

const nameOf = (member: Member, module: Module): string | undefined =>
  "key" in member && !member.computed
    ? module.source.slice(member.key.start, member.key.end).replaceAll('"', "")
    : undefined

const isFunction = (member: Member): boolean => {
  if (member.type === "MethodDefinition" || member.type === "TSMethodSignature") return true
  if (member.type === "PropertyDefinition") return member.value?.type === "ArrowFunctionExpression"
  if (member.type !== "TSPropertySignature") return false
  const type = member.typeAnnotation?.typeAnnotation
  if (type?.type !== "TSTypeLiteral") return type?.type === "TSFunctionType"
  return type.members.some((each) => each.type === "TSCallSignatureDeclaration")
}

/** The end of the signature of a member. */
const endOf = (member: Member): number => {
  if (member.type === "MethodDefinition") return member.value.body?.start ?? member.end
  if (member.type !== "PropertyDefinition") return member.end
  return (
    member.typeAnnotation?.end ??
    (member.value?.type === "ArrowFunctionExpression"
      ? (member.value.returnType?.end ?? member.value.body.start)
      : member.key.end)
  )
}

/** Draws the exports of one page; anchors are unique in it. */
class Page {
  readonly #ids = new Set<string>()

  /** `TotalCost` and `totalCost` are two names, and VitePress lowers the anchors of links. */
  #id(name: string): string {
    const lower = name.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-")
    let id = lower
    for (let count = 2; this.#ids.has(id); count++) id = `${lower}-${count}`
    this.#ids.add(id)
    return id
  }

  heading(level: number, text: string, name = text): string {
    return `${"#".repeat(level)} ${text} {#${this.#id(name)}}`
  }

  #members(owner: string, module: Module, members: ReadonlyArray<Member>, level: number): ReadonlyArray<string> {
    const groups = Map.groupBy(members, (member) => nameOf(member, module))
    groups.delete(undefined)
    return [...groups].flatMap(([name = "", group]) => {
      const [first] = group
      if (first === undefined || name.startsWith("#")) return []
      const doc = parseDoc(group.map((each) => module.docBefore(each.start)).find((each) => each !== "") ?? "")
      const signatures = group.map((each) => textOf(module, { start: each.start, end: endOf(each) }))
      return [
        this.heading(level, `${name}${isFunction(first) ? "()" : ""}`, `${owner}-${name}`),
        "",
        ...(doc.text === "" ? [] : [prose(doc.text), ""]),
        ...code("ts", signatures.map((each) => each.replace(/^(?:static )?(?:readonly )?/u, "").trim()).join("\n")),
        ...drawTags(doc)
      ]
    })
  }

  #class(exported: Exported, node: Class, name: string, level: number): readonly [string, ReadonlyArray<string>] {
    const { module } = exported
    const { superClass } = node
    const base = superText(exported, node)
    // class Runs extends Context.Service<Runs, { ... }>()("id") {}, or Schema.TaggedError<E>()("E", { ... })
    const call = superClass?.type === "CallExpression" ? superClass : undefined
    const types = call?.callee.type === "CallExpression" ? call.callee.typeArguments : call?.typeArguments
    const isService = kindOf(exported, name) === "Services"
    const isError = kindOf(exported, name) === "Errors"
    const shape = isService ? types?.params[1] : undefined
    const fields = isError ? call?.arguments.find((each) => each.type === "ObjectExpression") : undefined
    const rows = (fields?.properties ?? []).flatMap((each) => {
      if (each.type !== "Property") return []
      const doc = parseDoc(module.docBefore(each.start))
      const type = textOf(module, each.value).replaceAll(/\s+/gu, " ")
      return [`- \`${textOf(module, each.key)}\`: \`${type}\`${doc.text === "" ? "" : `. ${prose(doc.text)}`}`]
    })
    const own = node.body.body.filter((each) => !("static" in each) || each.static || !(isService || isError))
    return [
      isService
        ? `const ${name.charAt(0).toLowerCase()}${name.slice(1)} = yield* ${name}`
        : `class ${name}${base === "" ? "" : ` extends ${base.split(/[(<]/u)[0]}`}`,
      [
        ...(rows.length === 0 ? [] : ["**Fields**", "", ...rows, ""]),
        ...(shape?.type === "TSTypeLiteral" ? this.#members(name, module, shape.members, level + 1) : []),
        ...this.#members(name, module, own, level + 1)
      ]
    ]
  }

  /** The signature of an export, and its members. */
  #body(exported: Exported, name: string, level: number): readonly [string, ReadonlyArray<string>] {
    const { declaration, members, module } = exported
    if (declaration === undefined) {
      const drawn = [...(members ?? [])].flatMap(([member, each]) => this.symbol(each, `${name}.${member}`, level + 1))
      return ["", drawn]
    }
    const short = name.split(".").at(-1) ?? name
    switch (declaration.type) {
      case "ClassDeclaration":
        return this.#class(exported, declaration, name, level)
      case "TSInterfaceDeclaration": {
        const members = declaration.body.body
        // members with tags need paragraphs; others are easier to read as their author wrote them
        if (!hasTags(module, declaration)) return [commentedText(module, declaration), []]
        const head = textOf(module, { start: declaration.start, end: declaration.body.start }).trim()
        return [head, this.#members(name, module, members, level + 1)]
      }
      case "TSTypeAliasDeclaration":
        return [textOf(module, declaration), []]
      case "VariableDeclarator": {
        const { id, init } = declaration
        if (init?.type === "ArrowFunctionExpression" && id.end === id.start + short.length) {
          const from = (init.typeParameters ?? { start: init.start }).start
          return [
            `${short}${textOf(module, { start: from, end: init.body.start })
              .replace(/\s*=>\s*\{?\s*$/u, "")
              .replace(/^async /u, "")}`,
            []
          ]
        }
        const typed = module.source.slice(id.start, id.end)
        if (typed !== short || init === null) return [`const ${textOf(module, id)}`, []]
        // the comments of a schema describe its fields
        if (kindOf(exported, name) === "Schemas") return [`const ${short} = ${commentedText(module, init)}`, []]
        const lines = textOf(module, init).split("\n")
        return [
          `const ${short} = ${lines.length > 24 ? [...lines.slice(0, 24), "…"].join("\n") : lines.join("\n")}`,
          []
        ]
      }
      default: {
        const end = declaration.body === null ? declaration.end : declaration.body.start
        return [textOf(module, { start: declaration.start, end }).trim(), []]
      }
    }
  }

  /** An export with all its declarations: a schema and its type have one heading. */
  symbol(declarations: ReadonlyArray<Exported>, name: string, level: number): ReadonlyArray<string> {
    const [first] = declarations
    if (first === undefined) return []
    const doc = parseDoc(declarations.map((each) => each.doc).find((each) => each !== "") ?? "")
    const heading = this.heading(level, name)
    const bodies = declarations.map((each) => this.#body(each, name, level))
    const signatures = bodies.map(([signature]) => signature).filter((each) => each !== "")
    const line =
      first.declaration === undefined ? 1 : first.module.source.slice(0, first.declaration.start).split("\n").length
    return [
      heading,
      "",
      ...(doc.text === "" ? [] : [prose(doc.text), ""]),
      ...(signatures.length === 0 ? [] : code("ts", signatures.join("\n\n"))),
      ...drawTags(doc),
      ...(source === undefined ? [] : [`[Source](${source}/${first.module.file}#L${line})`, ""]),
      ...bodies.flatMap(([, members]) => members)
    ]
  }

  group(exports: Exports, level: number): ReadonlyArray<string> {
    return [...exports]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .flatMap(([name, declarations]) => this.symbol(declarations, name, level))
  }
}

/** Draws the page of an entry point of a package. */
export const apiPage = (entry: string, description: string, exports: Exports): string => {
  const page = new Page()
  const groups = Map.groupBy(exports, ([name, [first]]) => (first === undefined ? "Values" : kindOf(first, name)))
  return [
    `# ${entry}`,
    "",
    prose(description),
    "",
    ...kinds.flatMap((kind) => {
      const group = groups.get(kind)
      return group === undefined ? [] : [page.heading(2, kind, `all-${kind}`), "", ...page.group(new Map(group), 3)]
    })
  ].join("\n")
}

/** Draws one page for a package whose modules are its entry points. */
export const modulesPage = (
  name: string,
  description: string,
  modules: ReadonlyArray<readonly [string, Exports]>
): string => {
  const page = new Page()
  return [
    `# ${name}`,
    "",
    prose(description),
    "",
    ...modules.flatMap(([module, exports]) => [
      page.heading(2, module, `module-${module}`),
      "",
      ...code("ts", `import * as ${module.split("/").at(-1)} from "${name}/${module}"`),
      ...page.group(exports, 3)
    ])
  ].join("\n")
}
