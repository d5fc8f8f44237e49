import * as Cassette from "@webagent/cassette/Cassette"
import type { ApiVersion } from "@webagent/contract/Wire"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as Tracer from "effect/Tracer"
import { routeOf } from "./Route.ts"
import { type Seen, shown } from "./Seen.ts"
import type { Body, Exchange, JournalRow, Message, Span, Trace } from "@webagent/report/Trace"
import { waitsOf } from "./Waits.ts"

/** All that a trace is made of. */
interface Parts extends Pick<Trace, "suite" | "scenario" | "index" | "seed" | "duration_ms" | "dropped"> {
  /** In milliseconds since 1970. */
  readonly began_ms: number
  readonly exchanges: ReadonlyArray<Seen>
  readonly spans: ReadonlyArray<Tracer.Span>
  readonly journal: ReadonlyArray<JournalRow>
  readonly baseUrls: Readonly<Record<ApiVersion, string>>
  /** The header that carries the key, whatever key it is. */
  readonly apiKeyHeader: string
  /** Takes the key out of text. */
  readonly redact: (text: string) => string
}

const secretHeaders = new Set(["authorization", "cookie", "set-cookie", "proxy-authorization", "x-control-key"])
const decoder = new TextDecoder()

const round = (ms: number) => Math.round(ms * 100) / 100

const headersOf = (headers: Readonly<Record<string, string>>, { apiKeyHeader, redact }: Parts) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const lower = name.toLowerCase()
      if (lower === apiKeyHeader.toLowerCase()) return [lower, "<key>"]
      return [lower, secretHeaders.has(lower) ? "<redacted>" : redact(String(value))]
    })
  )

const bodyOf = (start: Uint8Array, bytes: number, redact: Parts["redact"]): Body => {
  const text = redact(withoutSecrets(decoder.decode(start)))
  const cut = text.length > shown || start.byteLength < bytes
  return { text: cut ? text.slice(0, shown) : text, bytes, cut }
}

/** Leaves out the values of secrets that a request binds to a run. */
const withoutSecrets = (text: string): string => {
  if (!text.includes('"secretBindings"')) return text
  const content = Cassette.contentOf(text)
  return content !== undefined && "json" in content ? JSON.stringify(content.json) : text
}

const requestOf = ({ request: { body, headers } }: Seen, parts: Parts): Message => ({
  headers: headersOf(headers, parts),
  body: body._tag === "Uint8Array" ? bodyOf(body.body, body.body.byteLength, parts.redact) : null
})

const responseOf = ({ body, headers, status }: Seen, parts: Parts): Message | null =>
  status === undefined
    ? null
    : {
        headers: headersOf(headers ?? {}, parts),
        body: body === undefined ? null : bodyOf(body.start, body.bytes, parts.redact)
      }

const outcomeOf = ({ failure, status }: Seen): string => failure ?? String(status ?? "no answer")

/** The id of the span that something is a part of: the nearest that is kept. */
const spanIdOf = (ids: ReadonlyMap<Tracer.AnySpan, number>, span: Tracer.AnySpan | undefined): number | null => {
  for (let at = span; at !== undefined; at = at._tag === "Span" ? Option.getOrUndefined(at.parent) : undefined) {
    const id = ids.get(at)
    if (id !== undefined) return id
  }
  return null
}

const exchangesOf = (parts: Parts, ids: ReadonlyMap<Tracer.AnySpan, number>): ReadonlyArray<Exchange> => {
  const attempts = new Map<string, Seen>()
  const counts = new Map<string, number>()
  const exchanges = parts.exchanges.map((seen): Exchange => {
    const { method, url } = seen.request
    const { operation, resource } = routeOf(parts.baseUrls, method, url)
    const requestId = seen.request.headers["x-request-id"] ?? null
    const call = requestId === null ? undefined : `${requestId} ${method} ${url}`
    const before = call === undefined ? undefined : attempts.get(call)
    const attempt = (call === undefined ? 0 : (counts.get(call) ?? 0)) + 1
    if (call !== undefined) {
      attempts.set(call, seen)
      counts.set(call, attempt)
    }
    const { at_ms, headersAt_ms, endedAt_ms = headersAt_ms ?? at_ms } = seen
    return {
      at_ms: round(at_ms - parts.began_ms),
      duration_ms: round(endedAt_ms - at_ms),
      method,
      url: parts.redact(url),
      operation,
      resource: resource === null ? null : parts.redact(resource),
      kind: operation === "v4.getRunStatus" ? "poll" : "call",
      attempt,
      retried: before === undefined ? null : outcomeOf(before),
      status: seen.status ?? null,
      failure: seen.failure ?? (seen.endedAt_ms === undefined && seen.status === undefined ? "no answer" : null),
      requestId: requestId === null ? null : parts.redact(requestId),
      headers_ms: headersAt_ms === undefined ? null : round(headersAt_ms - at_ms),
      spanId: spanIdOf(ids, seen.span),
      request: requestOf(seen, parts),
      response: responseOf(seen, parts)
    }
  })
  // a session that is read again is waited for, too
  const reads = new Map<string, number>()
  const sessionOf = ({ attempt, operation, resource }: Exchange) =>
    attempt === 1 && (operation === "v3.getSession" || operation === "v2.getSession") ? `${operation} ${resource}` : ""
  for (const exchange of exchanges) {
    const session = sessionOf(exchange)
    if (session !== "") reads.set(session, (reads.get(session) ?? 0) + 1)
  }
  return exchanges.map((exchange) =>
    (reads.get(`${exchange.operation} ${exchange.resource}`) ?? 0) > 1 ? { ...exchange, kind: "poll" } : exchange
  )
}

const valueOf = (value: unknown, redact: Parts["redact"]): string | number | boolean => {
  if (typeof value === "number" && Number.isFinite(value)) return value
  return typeof value === "boolean" ? value : redact(typeof value === "string" ? value : String(value))
}

const spansOf = (parts: Parts, ids: ReadonlyMap<Tracer.AnySpan, number>): ReadonlyArray<Span> =>
  parts.spans.map((span, index) => {
    const { status } = span
    const at_ms = Number(status.startTime / 10_000n) / 100
    const ended = status._tag === "Ended"
    const end_ms = ended ? Number(status.endTime / 10_000n) / 100 : parts.began_ms + parts.duration_ms
    return {
      at_ms: round(at_ms - parts.began_ms),
      duration_ms: round(Math.max(0, end_ms - at_ms)),
      name: span.name,
      id: index + 1,
      parentId: spanIdOf(ids, Option.getOrUndefined(span.parent)),
      attributes: Object.fromEntries(
        Array.from(span.attributes, ([name, value]) => [name, valueOf(value, parts.redact)] as const)
      ),
      ok: ended && status.exit._tag === "Success",
      ended
    }
  })

/** The trace of a trial: what was seen of it, without keys, on one axis of time. */
export const assemble = (parts: Parts): Trace => {
  const ids = new Map<Tracer.AnySpan, number>(parts.spans.map((span, index) => [span, index + 1] as const))
  const exchanges = exchangesOf(parts, ids)
  const { dropped, duration_ms, index, journal, scenario, seed, suite } = parts
  return {
    format: 1,
    suite,
    scenario,
    index,
    seed,
    startedAt: DateTime.formatIso(DateTime.makeUnsafe(Math.round(parts.began_ms))),
    duration_ms,
    exchanges,
    spans: spansOf(parts, ids),
    waits: waitsOf(exchanges),
    journal,
    dropped
  }
}
