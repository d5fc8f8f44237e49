import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Tracer from "effect/Tracer"

/** One attempt of a request as it was seen, not yet made ready to be read: times are milliseconds since 1970. */
export interface Seen {
  readonly request: HttpClientRequest.HttpClientRequest
  /** The span that it was sent in. */
  readonly span: Tracer.AnySpan | undefined
  readonly at_ms: number
  headersAt_ms: number | undefined
  endedAt_ms: number | undefined
  status: number | undefined
  headers: Readonly<Record<string, string>> | undefined
  /** The beginning of the answer's body, and how long all of it is. */
  body: { readonly start: Uint8Array; readonly bytes: number } | undefined
  failure: string | undefined
}

/** Number of characters of a body that are shown. */
export const shown = 16_384

/**
 * Number of bytes of a body that are stored: more than are shown, so that no key is truncated before it is redacted.
 */
export const kept = shown + 1024

/** The beginning of a body, without holding on to all of it. */
export const startOf = (bytes: Uint8Array): { readonly start: Uint8Array; readonly bytes: number } => ({
  start: bytes.byteLength <= kept ? bytes : bytes.slice(0, kept),
  bytes: bytes.byteLength
})
