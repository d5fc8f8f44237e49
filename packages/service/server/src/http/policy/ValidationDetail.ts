import type { ValidationError } from "@webagent/contract"
import type * as HttpApiError from "effect/http-api/HttpApiError"
import * as Predicate from "effect/Predicate"
import * as SchemaIssue from "effect/SchemaIssue"

type Kind = HttpApiError.HttpApiSchemaError["kind"]

/** FastAPI's names for the parts of a request, at the head of `loc`. */
const part: Readonly<Partial<Record<Kind, string>>> = {
  Params: "path",
  Query: "query",
  Headers: "header",
  Payload: "body"
}

/** FastAPI's names for types that a value does not have. */
const typeNames: Readonly<Record<string, string>> = {
  String: "string_type",
  Number: "float_type",
  Boolean: "bool_type",
  Arrays: "list_type",
  Objects: "dict_type",
  Literal: "literal_error",
  Union: "union_type"
}

/** FastAPI's names for the checks of the contract. Any other check is a `value_error`. */
const checkNames: Readonly<Record<string, string>> = {
  "effect/schema/isMinLength": "string_too_short",
  "effect/schema/isGUID": "uuid_parsing",
  "effect/schema/isPattern": "string_pattern_mismatch"
}

const message = SchemaIssue.makeFormatterStandardSchemaV1()

const segment = (key: PropertyKey): string | number => (typeof key === "number" ? key : String(key))

const checkId = (check: unknown): string =>
  Predicate.hasProperty(check, "id") && typeof check.id === "string" ? check.id : ""

interface Found {
  readonly path: ReadonlyArray<PropertyKey>
  readonly issue: SchemaIssue.Issue
  readonly type: string
}

const leaves = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>): ReadonlyArray<Found> => {
  switch (issue._tag) {
    case "Pointer":
      return leaves(issue.issue, [...path, ...issue.path])
    case "Encoding":
      return leaves(issue.issue, path)
    case "AnyOf":
      if (issue.issues.length === 0) {
        const isChoice = issue.ast.types.every(({ _tag }) => _tag === "Literal")
        return [{ path, issue, type: isChoice ? "literal_error" : "union_type" }]
      }
      return issue.issues.flatMap((inner) => leaves(inner, path))
    case "Composite":
      return issue.issues.flatMap((inner) => leaves(inner, path))
    case "MissingKey":
      return [{ path, issue, type: "missing" }]
    case "UnexpectedKey":
      return [{ path, issue, type: "extra_forbidden" }]
    case "InvalidType":
      return [{ path, issue, type: typeNames[issue.ast._tag] ?? "value_error" }]
    case "Filter": {
      const check = issue.filter.annotations?.representation
      return [{ path, issue, type: checkNames[checkId(check)] ?? "value_error" }]
    }
    default:
      return [{ path, issue, type: "value_error" }]
  }
}

const entry = (kind: Kind, { issue, path, type }: Found): ValidationError => {
  const loc = [part[kind] ?? "body", ...path.map(segment)]
  if (type === "missing") return { loc, msg: "Field required", type }
  if (type === "extra_forbidden") return { loc, msg: "This operation has no such field", type }
  if (kind === "Payload" && path.length === 0) return { loc, msg: "Expected object", type: "model_attributes_type" }
  return {
    loc,
    msg: message(issue)
      .issues.map((leaf) => leaf.message)
      .join("; "),
    type
  }
}

/** The entries of `HTTPValidationError.detail` for the issues of one part of a request. */
export const fromIssue = (kind: Kind, issue: SchemaIssue.Issue): ReadonlyArray<ValidationError> =>
  leaves(issue, []).map((leaf) => entry(kind, leaf))
