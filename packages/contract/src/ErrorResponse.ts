import type { YieldableError } from "effect/Cause"
import * as Schema from "effect/Schema"
import { withDefault } from "./OpenRecord.ts"

/** The call that an error is the answer to. */
export interface Call {
  readonly method: string
  readonly origin: string
  /** Path of the request, `/api/v4/runs`, without a query. */
  readonly path: string
  /** Requests sent for this call. */
  readonly attempts: number
  /** The `X-Request-Id` of the call's requests. */
  readonly requestId: string
}

/** Parts of an error response that the wire and OpenAPI don't have. */
export interface Answered {
  /** The call that was answered so, where a client tells it. */
  readonly call?: Call
  /** The body of the answer as text, without the API key; up to 65,536 characters. */
  readonly body?: string
}

/** The tag of an error. */
export interface Tagged<Tag extends string> {
  readonly _tag: Tag
}

type ErrorClass<Self, Tag extends string, Detail extends Schema.Top, More> = Schema.Class<
  Self,
  Schema.Struct<{ readonly detail: Detail }>,
  YieldableError & Tagged<Tag> & More
>

// `_tag` is an instance field and not a schema field: `Effect.catchTag` sees it, the wire and OpenAPI do not
const make = (tag: string, httpApiStatus: number, detail: Schema.Codec<string, string | undefined>): object =>
  class extends Schema.Error<{ readonly detail: string }>(tag)({ detail }, { httpApiStatus }) {
    readonly _tag = tag
    override get message() {
      return this.detail
    }
  }

/**
 * The base class of an error response with a `detail`, which is its message.
 *
 * @param tag The name of the class, of its `_tag` and of its OpenAPI component.
 */
export const detailError =
  <Self>() =>
  <const Tag extends string>(tag: Tag, httpApiStatus: number) =>
    make(tag, httpApiStatus, Schema.String) as ErrorClass<Self, Tag, Schema.String, object>

const usual = (text: string) => withDefault(Schema.String, text)

/**
 * The base class of an error response of the service. Its message is `detail`, or `text` if the response has none.
 *
 * @param tag The name of the class, of its `_tag` and of its OpenAPI component.
 */
export const errorResponse =
  <Self>() =>
  <const Tag extends string>(tag: Tag, httpApiStatus: number, text: string) =>
    make(tag, httpApiStatus, usual(text) as never) as ErrorClass<Self, Tag, ReturnType<typeof usual>, Answered>
