import type { Fault } from "@webagent/control"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { STATUS_CODES } from "node:http"
import type { Script } from "./FaultDelivery.ts"
import type { InjectedFault } from "./Faults.ts"

type Response = HttpServerResponse.HttpServerResponse

/** The effect of a fault: another response, or something that happens to the connection. */
export type FaultAnswer = Response | Script

/** Returns whether it's an ordinary response. */
export const isResponse: (answer: FaultAnswer) => answer is Response = HttpServerResponse.isHttpServerResponse

/** Facts that some faults depend on. */
export interface Circumstances {
  /** Path and query of the request. */
  readonly url: string
  /** Service time. */
  readonly now_ms: number
  /** Target of redirects that don't name one: an address without a final slash. */
  readonly elsewhere: string
}

const nothing: Script = { head: null, pieces: [], pause_ms: 0, end: "close" }

const reset: Script = { ...nothing, end: "reset" }

const hang = (fault: Extract<Fault, { readonly kind: "hang" }>): number =>
  fault.for === undefined ? Number.POSITIVE_INFINITY : Duration.toMillis(fault.for)

/** Formats an HTTP date, which has whole seconds. */
export const httpDate = (at_ms: number): string => new Date(at_ms).toUTCString()

const page = (status: number) =>
  `<html>\r\n<head><title>${status} ${STATUS_CODES[status] ?? "Error"}</title></head>\r\n<body>\r\n` +
  `<center><h1>${status} ${STATUS_CODES[status] ?? "Error"}</h1></center>\r\n<hr><center>proxy</center>\r\n</body>\r\n</html>\r\n`

const errorAnswer = (fault: Extract<Fault, { readonly kind: "status" }>, now_ms: number): Response => {
  const { detail, retryAfter, retryAfterForm, status = 503 } = fault
  const answer = HttpServerResponse.jsonUnsafe({ detail: detail ?? STATUS_CODES[status] ?? "Error" }, { status })
  if (retryAfter === undefined) return answer
  const wait_s = Math.ceil(Duration.toSeconds(retryAfter))
  if (retryAfterForm !== "date") return HttpServerResponse.setHeader(answer, "retry-after", String(wait_s))
  // without the date by which it counts, a date says little
  return HttpServerResponse.setHeaders(answer, {
    date: httpDate(now_ms),
    "retry-after": httpDate(Math.floor(now_ms / 1000) * 1000 + wait_s * 1000)
  })
}

const redirect = (
  { status = 307, to }: Extract<Fault, { readonly kind: "redirect" }>,
  { elsewhere, url }: Circumstances
): Response =>
  HttpServerResponse.jsonUnsafe(
    { detail: STATUS_CODES[status] },
    { status, headers: { location: `${(to ?? elsewhere).replace(/\/+$/u, "")}${url}` } }
  )

const replacing = ["refuse-connections", "reset", "hang", "status", "html-error", "redirect", "malformed-json"] as const

/** A fault that takes the place of an answer, where others spoil one. */
type Replacing = Extract<Fault, { readonly kind: (typeof replacing)[number] }>

const isReplacing = (fault: Fault): fault is Replacing => replacing.some((kind) => kind === fault.kind)

/** The fault, if it needs no answer of the service. */
export const replacingFault = ({ fault, placement }: InjectedFault): Replacing | undefined => {
  const spoils = placement === "mid-body" || (fault.kind === "malformed-json" && placement === "after-apply")
  return isReplacing(fault) && !spoils ? fault : undefined
}

/** Returns the response of a fault that replaces the operation's. */
export const inPlace = (fault: Replacing, around: Circumstances): FaultAnswer => {
  switch (fault.kind) {
    case "refuse-connections":
    case "reset":
      return reset
    case "hang":
      return { ...nothing, pause_ms: hang(fault) }
    case "status":
      return errorAnswer(fault, around.now_ms)
    case "html-error": {
      const status = fault.status ?? 502
      return HttpServerResponse.text(page(status), { status, contentType: "text/html" })
    }
    case "redirect":
      return redirect(fault, around)
    case "malformed-json":
      return HttpServerResponse.text('{"id": ', { contentType: "application/json" })
  }
}

const bytesOf = (response: Response): Effect.Effect<Uint8Array> => {
  const { body } = response
  if (body._tag === "Uint8Array") return Effect.succeed(body.body)
  if (body._tag === "Empty") return Effect.succeed(new Uint8Array())
  return Effect.promise(async () => new Uint8Array(await HttpServerResponse.toWeb(response).arrayBuffer()))
}

const headOf = (response: Response, bytes: Uint8Array) => ({
  status: response.status,
  headers: { ...response.headers, "content-length": String(bytes.length) }
})

/** Number of pieces of a slow body, unless it's shorter. */
const drips = 20

const drip = (bytes: Uint8Array, over_ms: number): Script["pieces"] => {
  const count = Math.min(drips, bytes.length)
  const at = (index: number) => Math.round((index * bytes.length) / count)
  return Array.from({ length: count }, (_, index) => ({
    after_ms: over_ms / count,
    bytes: bytes.subarray(at(index), at(index + 1))
  }))
}

const part = (bytes: Uint8Array, share: number): Script["pieces"] => [
  { after_ms: 0, bytes: bytes.subarray(0, Math.floor(bytes.length * share)) }
]

/** As long as before, and no JSON: the last character is one that JSON does not end with. */
const malformed = (bytes: Uint8Array): Uint8Array => {
  // not slice: of a Buffer that is the same memory, and the answer may be one that others get, too
  const copy = new Uint8Array(bytes)
  copy.set([0x2c], Math.max(0, copy.length - 1))
  return copy
}

/**
 * Applies a fault to a response. `headOnly` means that the request asked for the head only, so there's no body to
 * change.
 */
export const spoiled = Effect.fnUntraced(function* (
  { fault, placement }: InjectedFault,
  response: Response,
  headOnly: boolean
): Effect.fn.Return<FaultAnswer> {
  if (fault.kind === "wrong-content-type") {
    return HttpServerResponse.setHeader(response, "content-type", fault.contentType ?? "text/plain")
  }
  const bytes = yield* bytesOf(response)
  const script = { head: headOf(response, bytes), pause_ms: 0 }
  const body = headOnly ? new Uint8Array() : bytes
  switch (fault.kind) {
    case "slow-body":
      // a 204 has no body to slow down
      if (response.status === 204) return response
      return { ...script, pieces: drip(body, Duration.toMillis(fault.for)), end: "complete" }
    case "cut-body":
      return { ...script, pieces: part(body, fault.share ?? 0.5), end: fault.end ?? "close" }
    case "reset":
      return placement === "mid-body" ? { ...script, pieces: part(body, 0.5), end: "reset" } : response
    case "hang":
      return { ...script, pieces: part(body, 0.5), pause_ms: hang(fault), end: "close" }
    case "malformed-json":
      return bytes.length === 0
        ? response
        : HttpServerResponse.uint8Array(malformed(bytes), {
            status: response.status,
            headers: response.headers,
            contentType: response.headers["content-type"] ?? "application/json"
          })
    default:
      return response
  }
})
