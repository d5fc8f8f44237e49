import * as Result from "effect/Result"
import type * as Zlib from "node:zlib"

/** Far more than any response of such a service. A larger body could exhaust the memory of the process. */
export const most_bytes: number = 100 * 1024 * 1024

/** Stops reading a response, because it's too large. It's recognized by its code, because another copy may have made it. */
export class TooLarge extends Error {
  readonly code = "AnswerTooLarge"
}

const decoder = (zlib: typeof Zlib, coding: string) => {
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return zlib.gunzipSync
    case "deflate":
      return zlib.inflateSync
    case "br":
      return zlib.brotliDecompressSync
    case "zstd":
      return zlib.zstdDecompressSync
  }
}

const isTooLarge = (cause: unknown) =>
  cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE"

/**
 * Undoes the codings of `Content-Encoding`, as fetch does. The client asks for none, but some proxies compress all the
 * same. An unknown coding is left as it is.
 */
export const decode = (body: Buffer, contentEncoding: string): Result.Result<Buffer, unknown> =>
  Result.try({
    try: () => {
      if (body.length === 0) return body
      // rarely needed: a client that starts does not wait for it
      const zlib = process.getBuiltinModule("node:zlib")
      const codings = contentEncoding.toLowerCase().split(",").toReversed()
      const limit = { maxOutputLength: most_bytes }
      return codings.reduce((coded, coding) => decoder(zlib, coding.trim())?.(coded, limit) ?? coded, body)
    },
    catch: (cause) => (isTooLarge(cause) ? new TooLarge() : cause)
  })
