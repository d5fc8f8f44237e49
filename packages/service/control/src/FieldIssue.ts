import type * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"
import { meant } from "@webagent/contract/Spelling"

/** The problem with one field: its path as a user writes it (`faults[0].when.rate`), and a sentence. */
export interface FieldIssue {
  /** The empty text for the whole. */
  readonly path: string
  readonly sentence: string
}

type Path = ReadonlyArray<PropertyKey>

const isRecord = (value: unknown): value is Readonly<Record<PropertyKey, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const at = (input: unknown, path: Path): unknown => {
  let value = input
  for (const key of path) value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined
  return value
}

const step = (key: PropertyKey, index: number): string => {
  if (typeof key === "number") return `[${key}]`
  const name = String(key)
  if (!/^[$\w-]+$/u.test(name)) return `[${JSON.stringify(name)}]`
  return index === 0 ? name : `.${name}`
}

const written = (path: Path): string => path.map(step).join("")

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}

const question = (word: unknown, words: ReadonlyArray<string>): string => {
  const guess = typeof word === "string" ? meant(word, words) : undefined
  return guess === undefined ? "" : `; did you mean ${shown(guess)}?`
}

const kinds: Readonly<Partial<Record<SchemaAST.AST["_tag"], string>>> = {
  String: "a text",
  Number: "a number",
  Boolean: "true or false",
  Arrays: "a list",
  Objects: "an object",
  Null: "null"
}

const text = (annotations: object | undefined, key: "expected" | "message"): string | undefined => {
  const value: unknown = annotations === undefined ? undefined : Reflect.get(annotations, key)
  return typeof value === "string" ? value : undefined
}

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Literal" ? [String(ast.literal)] : ast._tag === "Union" ? ast.types.flatMap(literalsOf) : []

const fieldsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

/** The members of a union that say something: what may be left out may also be undefined. */
const membersOf = (ast: SchemaAST.Union): ReadonlyArray<SchemaAST.AST> =>
  ast.types.filter(({ _tag }) => _tag !== "Undefined")

/** Describes in words what a schema accepts. */
const describe = (ast: SchemaAST.AST): string => {
  const expected = text(ast.annotations, "expected")
  if (expected !== undefined && ast._tag !== "Declaration") return expected
  const encoded = ast.encoding?.at(-1)?.to
  if (encoded !== undefined) return describe(encoded)
  if (expected === "Duration") return "a Duration such as Duration.seconds(45)"
  const checked =
    ast._tag === "String" || ast._tag === "Number"
      ? ast.checks?.map((check) => text(check.annotations, "expected")).find(isOurs)
      : ""
  const literals = literalsOf(ast)
  if (literals.length > 0) return literals.length === 1 ? shown(literals[0]) : `one of ${literals.join(", ")}`
  const discriminating = ast._tag === "Union" ? discriminator(ast) : undefined
  if (discriminating !== undefined) return `an object with ${discriminating.field}`
  if (ast._tag === "Union") return [...new Set(membersOf(ast).map(describe))].join(" or ")
  return checked || kinds[ast._tag] || "another value"
}

/** Effect's own words about texts are about values and expressions. */
const isOurs = (expected: string | undefined): boolean =>
  expected !== undefined && !/^an? (?:value|string|expression|finite)\b/u.test(expected)

/** The field by which the members of a union are told apart, and what it may say. */
const discriminator = (
  ast: SchemaAST.Union
): { readonly field: string; readonly words: ReadonlyArray<string> } | undefined => {
  const [first] = ast.types
  const field =
    first === undefined
      ? undefined
      : fieldsOf(first).find((name) => ast.types.every((type) => wordOf(type, name) !== undefined))
  return field === undefined ? undefined : { field, words: ast.types.flatMap((type) => wordOf(type, field) ?? []) }
}

const wordOf = (ast: SchemaAST.AST, field: string): string | undefined => {
  const type = ast._tag === "Objects" ? ast.propertySignatures.find(({ name }) => name === field)?.type : undefined
  return type?._tag === "Literal" ? String(type.literal) : undefined
}

const wrong = (path: Path, expected: string, value: unknown, more = ""): FieldIssue => ({
  path: written(path),
  sentence:
    value === undefined ? `is missing, expected ${expected}` : `expected ${expected}, got ${shown(value)}${more}`
})

const unknownField = (path: Path, fields: ReadonlyArray<string>): FieldIssue => ({
  path: written(path),
  sentence: `is not a known field${question(path.at(-1), fields) || `; use one of ${fields.join(", ")}`}`
})

/** The problems of an object or list that are described. An input may have very many unknown fields. */
const maxIssues = 100

const ofUnion = (issue: SchemaIssue.AnyOf, path: Path, input: unknown): ReadonlyArray<FieldIssue> => {
  const { ast, issues } = issue
  const value = at(input, path)
  const discriminating = discriminator(ast)
  if (discriminating !== undefined && issues.length === 0 && isRecord(value)) {
    const word = value[discriminating.field]
    return [
      wrong(
        [...path, discriminating.field],
        `one of ${discriminating.words.join(", ")}`,
        word,
        question(word, discriminating.words)
      )
    ]
  }
  // a list or a record is the only one that was meant, and so is what is only allowed to be missing
  if (issues.length === 1 && issues[0]?._tag === "AnyOf") return of(issues[0], path, input)
  const composites = issues.filter(({ _tag }) => _tag === "Composite")
  const [only] = composites.length === 1 ? composites : []
  if (only?._tag === "Composite" && (only.ast._tag === "Arrays" || membersOf(ast).length === 1)) {
    return of(only, path, input)
  }
  const literals = literalsOf(ast)
  if (literals.length > 0) return [wrong(path, describe(ast), value, question(value, literals))]
  if (!isRecord(value) || issues.length === 0) {
    return issues.length === 0 ? [wrong(path, describe(ast), value)] : issues.flatMap((each) => of(each, path, input))
  }
  // the member that was meant is the one whose field is there
  const chosen = issues.find((each) => each._tag === "Composite" && fieldsOf(each.ast).some((name) => name in value))
  if (chosen !== undefined) return of(chosen, path, input)
  const fields = ast.types.flatMap(fieldsOf)
  const keys = Object.keys(value)
  return keys.length === 0
    ? [wrong(path, describe(ast), value)]
    : keys.slice(0, maxIssues).map((key) => unknownField([...path, key], fields))
}

const of = (issue: SchemaIssue.Issue, path: Path, input: unknown): ReadonlyArray<FieldIssue> => {
  const value = at(input, path)
  switch (issue._tag) {
    case "Pointer":
      return of(issue.issue, [...path, ...issue.path], input)
    case "Encoding":
      return of(issue.issue, path, input)
    case "Composite":
      return issue.issues
        .slice(0, maxIssues)
        .flatMap((each) => missingIn(issue.ast, each, path) ?? of(each, path, input))
    case "AnyOf":
      return ofUnion(issue, path, input)
    case "Filter": {
      const inner = issue.issue
      if (inner._tag !== "InvalidValue") return of(inner, path, input)
      const message = text(issue.filter.annotations, "message") ?? text(inner.annotations, "message")
      const expected = message?.replace(/^Expected /u, "") ?? text(issue.filter.annotations, "expected")
      const kind = typeof value === "number" ? "a number" : "a text"
      return [wrong(path, expected?.replace(/^a value\b/u, kind) ?? "another value", value)]
    }
    case "UnexpectedKey":
      return [unknownField(path, fieldsOf(issue.ast))]
    case "InvalidType":
      return [wrong(path, describe(issue.ast), value)]
    case "InvalidValue": {
      const message = text(issue.annotations, "message")
      return [message === undefined ? wrong(path, "another value", value) : { path: written(path), sentence: message }]
    }
    default:
      return [wrong(path, "another value", value)]
  }
}

/** A field that is missing is told with what belongs there, an entry that is missing with its list. */
const missingIn = (ast: SchemaAST.AST, issue: SchemaIssue.Issue, path: Path): ReadonlyArray<FieldIssue> | undefined => {
  if (issue._tag !== "Pointer" || issue.issue._tag !== "MissingKey") return undefined
  if (ast._tag === "Arrays") return [{ path: written(path), sentence: "needs at least one entry" }]
  const [key] = issue.path
  const type = ast._tag === "Objects" ? ast.propertySignatures.find(({ name }) => name === key)?.type : undefined
  return [wrong([...path, ...issue.path], type === undefined ? "a value" : describe(type), undefined)]
}

/** Returns the problems with an input, one per field, from the issue of a schema. */
export const fieldIssues = (issue: SchemaIssue.Issue, input: unknown): ReadonlyArray<FieldIssue> => {
  const first = new Map<string, FieldIssue>()
  for (const fieldIssue of of(issue, [], input)) {
    if (!first.has(fieldIssue.path)) first.set(fieldIssue.path, fieldIssue)
  }
  return [...first.values()]
}

/** One line of text. */
export const line = ({ path, sentence }: FieldIssue): string => (path === "" ? sentence : `${path}: ${sentence}`)
