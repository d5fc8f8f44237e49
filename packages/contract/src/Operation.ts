import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type * as Schema from "effect/Schema"
import { ContentTooLargeError, HTTPValidationError, TooManyRequestsError, UnauthorizedError } from "./Errors.ts"

/** What a client needs of an operation at run time. */
export interface Operation {
  readonly method: "GET" | "POST" | "PATCH"
  /** Relative to `{base_url}`, with the description's parameter names: `/runs/{run_id}`. */
  readonly path: string
  readonly params?: Schema.Codec<unknown, unknown>
  readonly payload?: Schema.Codec<unknown, unknown>
  readonly success: Schema.Codec<unknown, unknown>
  /** The described errors, by status. */
  readonly errors: { readonly [status: number]: Schema.Codec<unknown, unknown> }
}

/** The groups of an HttpApi. */
export type GroupsOf<Api> = Api extends HttpApi.HttpApi<infer _Id, infer Groups> ? Groups : never

/**
 * The operations of an HttpApi by group and name, without what builds and documents it: a client that knows its HttpApi
 * as a type alone is 9 kB smaller. `test/Operation.test.ts` compares them with the HttpApi.
 */
export type Operations<Api> = {
  readonly [Group in GroupsOf<Api> as HttpApiGroup.Identifier<Group>]: {
    readonly [Name in keyof Group["endpoints"]]: Operation
  }
} & {
  /** The HttpApi that these are the operations of: a type, and never a value. */
  readonly "~api"?: Api
}

/** What every operation can answer, besides errors of its own. */
export const commonErrors = {
  401: UnauthorizedError,
  413: ContentTooLargeError,
  422: HTTPValidationError,
  429: TooManyRequestsError
} as const
