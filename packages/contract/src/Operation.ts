import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { ContentTooLargeError, HTTPValidationError, TooManyRequestsError, UnauthorizedError } from "./Errors.ts"

/** An operation of the service: a client sends it as it is, and `endpoint` makes it a part of an HttpApi. */
export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** Relative to `{base_url}`, with the description's parameter names: `/runs/{run_id}`. */
  readonly path: string
  readonly params?: Schema.Codec<unknown, unknown>
  /** The parameters after the `?`, encoded as texts. */
  readonly query?: Schema.Codec<unknown, Readonly<Record<string, string | undefined>>>
  readonly payload?: Schema.Codec<unknown, unknown>
  /** The response to a success; `Schema.Void` with the status 204. */
  readonly success: Schema.Codec<unknown, unknown>
  /** The status of a success: by default 201 for a POST, otherwise 200. */
  readonly status?: number
  /** Errors of its own, beside `commonErrors`; each says its status. */
  readonly errors?: ReadonlyArray<Schema.Codec<Error, unknown> & { readonly identifier: string }>
}

/** The operations of a version by group and name. */
export type Operations = Readonly<Record<string, Readonly<Record<string, Operation>>>>

type WithQueries<Operations extends Readonly<Record<string, Operation>>, Queries> = {
  readonly [Name in keyof Operations]: Name extends keyof Queries
    ? Operations[Name] & { readonly query: Queries[Name] }
    : Operations[Name]
}

/** Adds the queries of operations by name. They're apart, because a client sends queries without a schema. */
export const withQueries = <
  const Operations extends Readonly<Record<string, Operation>>,
  const Queries extends { readonly [Name in keyof Operations]?: NonNullable<Operation["query"]> }
>(
  operations: Operations,
  queries: Queries
): WithQueries<Operations, Queries> =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      name in queries ? { ...operation, query: queries[name] } : operation
    ])
  ) as object as WithQueries<Operations, Queries>

/** Errors of every operation, besides its own. */
const commonErrors = [UnauthorizedError, ContentTooLargeError, HTTPValidationError, TooManyRequestsError] as const

const statusOf = /* @__PURE__ */ SchemaAST.resolveAt<number>("httpApiStatus")

/** Returns the decoders of an operation's described errors, by status. */
export const errorsOf = ({ errors = [] }: Pick<Operation, "errors">) =>
  Object.fromEntries([...commonErrors, ...errors].map((error) => [String(statusOf(error.ast)), error] as const))
