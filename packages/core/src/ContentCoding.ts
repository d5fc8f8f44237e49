import * as Result from "effect/Result"
import type * as Zlib from "node:zlib"

const decoder = (zlib: typeof Zlib, coding: string): ((body: Buffer) => Buffer) | undefined => {
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

/**
 * A body without the codings of its `Content-Encoding`, as fetch gives it: nobody asks for one, and there are proxies
 * that compress all the same. One that is not known is left as it is.
 */
export const decode = (body: Buffer, contentEncoding: string): Result.Result<Buffer, unknown> =>
  Result.try({
    try: () => {
      if (body.length === 0) return body
      // rarely needed: a client that starts does not wait for it
      const zlib = process.getBuiltinModule("node:zlib")
      const codings = contentEncoding.toLowerCase().split(",").toReversed()
      return codings.reduce((coded, coding) => decoder(zlib, coding.trim())?.(coded) ?? coded, body)
    },
    catch: (cause) => cause
  })
