import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as HttpFetch from "./HttpFetch.ts"

/** How Deno says that there was no connection, in the words of its HTTP client: its errors have no codes. */
const unsent: ReadonlyArray<readonly [RegExp, code: string]> = [
  [/: client error \(Connect\): dns error: /u, "ENOTFOUND"],
  [/: client error \(Connect\): tcp connect error: .*\(os error (?:111|61|10061)\)$/u, "ECONNREFUSED"]
]

const withCode = (error: unknown) => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const message = cause instanceof Error ? cause.message : ""
  const [, code] = unsent.find(([said]) => said.test(message)) ?? []
  return code === undefined ? error : Object.assign(new TypeError(message), { code, syscall: "connect" })
}

/**
 * Where a kept connection is lost, Deno's fetch sends a request again by itself, a POST as well, which may be a second
 * run. It does not with a body that can be read once only, as it takes a Blob to be.
 */
const once = (init: RequestInit): RequestInit => {
  const { body, method } = init
  if (method !== "POST") return init
  if (body === undefined || body === null) return { ...init, body: new Blob([]) }
  return typeof body === "string" || body instanceof Uint8Array ? { ...init, body: new Blob([body as BlobPart]) } : init
}

const fetch: typeof globalThis.fetch = async (input, init = {}) => {
  try {
    return await globalThis.fetch(input, once(init))
  } catch (error) {
    throw withCode(error)
  }
}

/** fetch, unless an application provides its own; no create is sent twice, and one that never left is known. */
export const layerHttp: Layer.Layer<HttpClient.HttpClient> = Layer.unwrap(
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.succeed(
      Context.getOrUndefined(context, FetchHttpClient.Fetch) === undefined
        ? Layer.provide(HttpFetch.layerFetch, Layer.succeed(FetchHttpClient.Fetch, fetch))
        : HttpFetch.layerFetch
    )
  )
)
