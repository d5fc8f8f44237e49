import type { Recording } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { createReadStream } from "node:fs"
import * as ErrorResponse from "../policy/ErrorResponse.ts"

/** The requested part of a file (RFC 9110). A request for several parts gets the whole file. */
export const rangeOf = (
  header: string | undefined,
  size: number
): { readonly start: number; readonly end: number } | "whole" | "none" => {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/u.exec(header ?? "") ?? []
  if (first === "" && last === "") return "whole"
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== "" && last !== "" && Number(last) < Number(first)) return "whole"
  return start > end ? "none" : { start, end }
}

/** Gives the page that plays a recording an origin of its own, and lets it load nothing from elsewhere. */
const playerPolicy =
  "sandbox allow-scripts; default-src 'none'; img-src data:; script-src 'unsafe-inline'; style-src 'unsafe-inline'"

/** Answers a request for a file that does not change, whole or in part. */
export const answer = Effect.fnUntraced(function* ({ bytes, contentType, finishedAt_ms, path }: Recording) {
  const { headers, method } = yield* HttpServerRequest.HttpServerRequest
  const tag = `"${bytes.toString(36)}-${Math.floor(finishedAt_ms).toString(36)}"`
  // the client would join parts of two files
  const isSame = headers["if-range"] === undefined || headers["if-range"] === tag
  const range = isSame ? rangeOf(headers["range"], bytes) : "whole"
  if (range === "none") {
    return ErrorResponse.make(416, "The recording has no such part", { "content-range": `bytes */${bytes}` })
  }
  const common = {
    "accept-ranges": "bytes",
    // the link is the secret
    "cache-control": "private, no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    ...(contentType.startsWith("text/html") ? { "content-security-policy": playerPolicy } : {}),
    etag: tag
  }
  const { end, start } = range === "whole" ? { start: 0, end: bytes - 1 } : range
  return HttpServerResponse.raw(method === "HEAD" ? null : createReadStream(path, { start, end }), {
    status: range === "whole" ? 200 : 206,
    contentType,
    contentLength: end - start + 1,
    headers: range === "whole" ? common : { ...common, "content-range": `bytes ${start}-${end}/${bytes}` }
  })
})
