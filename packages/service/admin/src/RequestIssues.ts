import { meant } from "@webagent/contract/Spelling"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"

type Path = ReadonlyArray<PropertyKey>

/** One problem of a request. */
export interface RequestIssue {
  /** The names and indexes that lead to it, such as `["filter", "status"]`. */
  readonly path: Path
  readonly issue: SchemaIssue.Issue
  /** For an unknown field: the names of the fields that are allowed in its place. */
  readonly names: ReadonlyArray<string>
}

const fieldsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []

const isKeyIssue = (issue: SchemaIssue.Issue) =>
  issue._tag === "Pointer" && (issue.issue._tag === "MissingKey" || issue.issue._tag === "UnexpectedKey")

const isObjectIssue = (issue: SchemaIssue.Issue): issue is SchemaIssue.Composite =>
  issue._tag === "Composite" && issue.ast._tag === "Objects"

/** The issues of the members of a union that an object comes closest to by the names of its fields. */
const closest = ({ issues }: SchemaIssue.AnyOf): ReadonlyArray<SchemaIssue.Issue> => {
  if (!issues.every(isObjectIssue)) return issues
  const wrongKeys = issues.map((member) => member.issues.filter(isKeyIssue).length)
  return issues.filter((_, index) => wrongKeys[index] === Math.min(...wrongKeys))
}

const membersOf = (issues: ReadonlyArray<SchemaIssue.Issue>, path: Path): ReadonlyArray<RequestIssue> => {
  const names = new Set(issues.flatMap((issue) => (isObjectIssue(issue) ? fieldsOf(issue.ast) : [])))
  return issues.flatMap((issue) => leaves(issue, path, [...names]))
}

const leaves = (issue: SchemaIssue.Issue, path: Path, names: ReadonlyArray<string>): ReadonlyArray<RequestIssue> => {
  switch (issue._tag) {
    case "Pointer":
      return leaves(issue.issue, [...path, ...issue.path], issue.issue._tag === "UnexpectedKey" ? names : [])
    case "Encoding":
      return leaves(issue.issue, path, names)
    case "AnyOf":
      if (issue.issues.length === 0) return [{ path, issue, names }]
      return membersOf(closest(issue), path)
    case "Composite":
      return issue.issues.flatMap((inner) => leaves(inner, path, names.length === 0 ? fieldsOf(issue.ast) : names))
    case "UnexpectedKey":
      return [{ path, issue, names: names.length === 0 ? fieldsOf(issue.ast) : names }]
    default:
      return [{ path, issue, names }]
  }
}

/** The problems of a request that are described. A body may have 100,000 unknown fields. */
const maxIssues = 100

/** Returns the problems of a request, one for each field and at most 100, from the issue of its schema. */
export const requestIssues = (issue: SchemaIssue.Issue): ReadonlyArray<RequestIssue> => {
  const first = new Map<string, RequestIssue>()
  for (const each of leaves(issue, [], [])) {
    const path = `${each.path}`
    if (!first.has(path)) first.set(path, each)
    if (first.size === maxIssues) break
  }
  return [...first.values()]
}

/** Fields of records whose filters have another name. */
const filterNames: Readonly<Record<string, string>> = { owner: "key", sessionId: "session" }

/** Describes an unknown field of a request, with the field that was probably meant. */
export const unknownField = ({ names, path }: RequestIssue, isQuery: boolean): string => {
  const name = String(path.at(-1))
  // two members of a union were mixed
  if (names.includes(name)) return `"${name}" can't be combined with the other fields.`
  const words = [...names, ...Object.keys(filterNames).filter((field) => names.includes(filterNames[field] ?? ""))]
  const word = meant(name, words)
  const kind = path.at(-2) === "filter" ? "filter" : isQuery ? "query parameter" : "field"
  const advice = word === undefined ? `Use ${names.join(", ")}.` : `Did you mean "${filterNames[word] ?? word}"?`
  return `"${name}" isn't a ${kind} of this operation. ${advice}`
}

const formatter = SchemaIssue.makeFormatterStandardSchemaV1()

const choicesOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Literal" ? [String(ast.literal)] : ast._tag === "Union" ? ast.types.flatMap(choicesOf) : []

/** Describes a problem of a request in a sentence, without types and schema paths. */
export const issueSentence = (requestIssue: RequestIssue, isQuery: boolean): string => {
  const { issue, path } = requestIssue
  const name = path.length === 0 ? "The request" : path.join(".")
  if (issue._tag === "UnexpectedKey") return unknownField(requestIssue, isQuery)
  if (issue._tag === "MissingKey") return `${name} is missing.`
  if (issue._tag === "AnyOf" && choicesOf(issue.ast).length > 0) {
    return `${name} must be one of ${choicesOf(issue.ast).join(", ")}.`
  }
  const text = formatter(issue)
    .issues.map(({ message }) => message)
    .join("; ")
  return `${name}: ${text}${text.endsWith(".") ? "" : "."}`
}
