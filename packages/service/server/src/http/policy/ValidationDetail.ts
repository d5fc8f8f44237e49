import { type RequestIssue, requestIssues, unknownField } from "@webagent/admin"
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

const typeOf = (issue: SchemaIssue.Issue): string => {
  switch (issue._tag) {
    case "AnyOf":
      return issue.ast.types.every(({ _tag }) => _tag === "Literal") ? "literal_error" : "union_type"
    case "MissingKey":
      return "missing"
    case "UnexpectedKey":
      return "extra_forbidden"
    case "InvalidType":
      return typeNames[issue.ast._tag] ?? "value_error"
    case "Filter":
      return checkNames[checkId(issue.filter.annotations?.representation)] ?? "value_error"
    default:
      return "value_error"
  }
}

const entry = (kind: Kind, requestIssue: RequestIssue): ValidationError => {
  const { issue, path } = requestIssue
  const type = typeOf(issue)
  const loc = [part[kind] ?? "body", ...path.map(segment)]
  if (type === "missing") return { loc, msg: "Field required", type }
  if (type === "extra_forbidden") return { loc, msg: unknownField(requestIssue, kind === "Query"), type }
  // a body that is an object can break a rule as a whole
  if (kind === "Payload" && path.length === 0 && issue._tag !== "Filter")
    return { loc, msg: "Expected object", type: "model_attributes_type" }
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
  requestIssues(issue).map((each) => entry(kind, each))
