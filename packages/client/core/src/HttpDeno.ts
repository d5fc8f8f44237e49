import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as HttpFetch from "./HttpFetch.ts"

/** Codes for the messages of Deno's HTTP client about failed connections, because its errors have none. */
const codes: ReadonlyArray<readonly [RegExp, code: string]> = [
  [/: client error \(Connect\): dns error: /u, "ENOTFOUND"],
  [/: client error \(Connect\): tcp connect error: .*\(os error (?:111|61|10061)\)$/u, "ECONNREFUSED"]
]

/** Says of an error that it came before anything was sent, as Node's errors do. */
const withSyscall = (error: unknown) => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error) || !cause.message.includes(": client error (Connect): ")) return error
  const [, code] = codes.find(([said]) => said.test(cause.message)) ?? []
  return Object.assign(new TypeError(cause.message), { syscall: "connect", ...(code === undefined ? {} : { code }) })
}

/**
 * Deno's fetch repeats a request by itself if a kept connection is lost, even a POST, which may create a second run. It
 * doesn't repeat a body that can be read only once, as it assumes of a Blob.
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
    throw withSyscall(error)
  }
}

/** fetch, unless an application provides its own; no create is sent twice, and one that never left is known. */
export const layerHttp: Layer.Layer<HttpClient.HttpClient> = Layer.unwrap(
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.succeed(
      Context.getOrUndefined(context, FetchHttpClient.Fetch) === undefined
        ? Layer.provide(HttpFetch.layerHttp, Layer.succeed(FetchHttpClient.Fetch, fetch))
        : HttpFetch.layerHttp
    )
  )
)
