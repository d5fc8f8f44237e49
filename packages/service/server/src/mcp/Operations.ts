import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpBody from "effect/http/HttpBody"
import type * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Schema from "effect/Schema"
import { apiKeyHeader, basePath } from "@webagent/contract/Wire"

/** An id that no run has: a request for it tests only whether a key may read. */
export const nothing = "/runs/00000000-0000-0000-0000-000000000000/status"

/** An operation that the server refused or did not answer. The message is for the model that called the tool. */
export class OperationError extends Schema.TaggedError<OperationError>()("OperationError", {
  message: Schema.String
}) {}

export type Json = Readonly<Record<string, unknown>>

/** The operations of v4, and of v3 where told, with the key, the limits and the owner of the one who calls a tool. */
export class Operations extends Context.Service<
  Operations,
  {
    readonly call: (
      method: "GET" | "POST" | "PATCH",
      path: string,
      body?: Json,
      version?: "v3" | "v4"
    ) => Effect.Effect<Json, OperationError>
  }
>()("@webagent/server/Operations") {}

const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)

/** Detail of a server's error response, in one line. */
const detailOf = (answer: unknown): string => {
  const detail = isRecord(answer) ? (answer["detail"] ?? answer) : answer
  return (typeof detail === "string" ? detail : JSON.stringify(detail)).slice(0, 500)
}

/** The longest wait for an answer. Only the start of a browser takes an operation longer than a moment. */
const longest = Duration.minutes(1)

const unreachable = (method: string, why: string) =>
  new OperationError({
    message:
      `The server did not respond (${why}). ` +
      (method === "GET" ? "Try again." : "It may have acted all the same: look before you call the tool again.")
  })

/** The operations over a client whose requests go to the server at `address`. */
export const over = (
  client: HttpClient.HttpClient,
  address: string,
  key: Effect.Effect<string>
): Operations["Service"] => ({
  call: Effect.fnUntraced(function* (method, path, body, version = "v4") {
    const request = HttpClientRequest.make(method)(`${address}${basePath[version]}${path}`, {
      headers: { [apiKeyHeader]: yield* key, accept: "application/json" },
      ...(body === undefined ? {} : { body: HttpBody.jsonUnsafe(body) })
    })
    const { answer, response } = yield* client.execute(request).pipe(
      Effect.flatMap((response) => Effect.map(response.text, (answer) => ({ answer, response }))),
      Effect.mapError(({ message }) => unreachable(method, message)),
      Effect.timeoutOrElse({
        duration: longest,
        orElse: () => Effect.fail(unreachable(method, `within ${Duration.format(longest)}`))
      })
    )
    const json = yield* Effect.try({
      try: (): unknown => JSON.parse(answer),
      catch: () => new OperationError({ message: `The server answered ${response.status} without JSON.` })
    })
    if (response.status < 300 && isRecord(json)) return json
    const after = response.headers["retry-after"]
    return yield* new OperationError({
      message:
        `The server answered ${response.status}: ${detailOf(json)}.` +
        (after === undefined ? "" : ` Try again in ${after} seconds.`)
    })
  })
})
