import type { Exchange, Message, Trace } from "./Trace.ts"

/** A name with a value, of a header or of a query. */
interface HarPair {
  readonly name: string
  readonly value: string
}

/** One attempt of a request, as HAR 1.2 has it; what it has no field for is under names that begin with `_`. */
interface HarEntry {
  readonly pageref: string
  readonly startedDateTime: string
  readonly time: number
  readonly request: {
    readonly method: string
    readonly url: string
    readonly httpVersion: string
    readonly cookies: ReadonlyArray<never>
    readonly headers: ReadonlyArray<HarPair>
    readonly queryString: ReadonlyArray<HarPair>
    readonly postData?: { readonly mimeType: string; readonly text: string }
    readonly headersSize: number
    readonly bodySize: number
  }
  readonly response: {
    readonly status: number
    readonly statusText: string
    readonly httpVersion: string
    readonly cookies: ReadonlyArray<never>
    readonly headers: ReadonlyArray<HarPair>
    readonly content: {
      readonly size: number
      readonly mimeType: string
      readonly text?: string
      readonly comment?: string
    }
    readonly redirectURL: string
    readonly headersSize: number
    readonly bodySize: number
    /** The reason why there is no complete response. */
    readonly _error?: string
  }
  readonly cache: Readonly<Record<string, never>>
  readonly timings: { readonly send: number; readonly wait: number; readonly receive: number }
  readonly _operation: string | null
  readonly _attempt: number
  readonly _retried: string | null
}

/** An HTTP archive, version 1.2. */
export interface Har {
  readonly log: {
    readonly version: "1.2"
    readonly creator: { readonly name: string; readonly version: string }
    readonly pages: ReadonlyArray<{
      readonly startedDateTime: string
      readonly id: string
      readonly title: string
      readonly pageTimings: Readonly<Record<string, never>>
    }>
    readonly entries: ReadonlyArray<HarEntry>
    readonly comment?: string
  }
}

const page = "trial"
const httpVersion = "HTTP/1.1"

const pairs = (entries: Iterable<readonly [string, string]>): ReadonlyArray<HarPair> =>
  Array.from(entries, ([name, value]) => ({ name, value }))

// the page of a report bundles this, so it imports nothing
const after = (startedAt: string, ms: number): string => new Date(Date.parse(startedAt) + Math.round(ms)).toISOString()

const typeOf = (message: Message | null): string => message?.headers["content-type"] ?? ""

const requestOf = ({ method, request, url }: Exchange): HarEntry["request"] => ({
  method,
  url,
  httpVersion,
  cookies: [],
  headers: pairs(Object.entries(request.headers)),
  queryString: pairs(URL.parse(url)?.searchParams ?? []),
  ...(request.body === null ? {} : { postData: { mimeType: typeOf(request), text: request.body.text } }),
  headersSize: -1,
  bodySize: request.body?.bytes ?? 0
})

const responseOf = ({ failure, response, status }: Exchange): HarEntry["response"] => {
  const body = response?.body ?? null
  return {
    // 0 is how browsers write a request without an answer
    status: status ?? 0,
    statusText: "",
    httpVersion,
    cookies: [],
    headers: pairs(Object.entries(response?.headers ?? {})),
    content: {
      size: body?.bytes ?? 0,
      mimeType: typeOf(response),
      ...(body === null ? {} : { text: body.text }),
      ...(body?.cut === true ? { comment: `the first ${body.text.length} characters` } : {})
    },
    redirectURL: response?.headers["location"] ?? "",
    headersSize: -1,
    bodySize: body?.bytes ?? -1,
    ...(failure === null ? {} : { _error: failure })
  }
}

const entryOf = (startedAt: string, exchange: Exchange): HarEntry => {
  const { attempt, at_ms, duration_ms, headers_ms, operation, retried } = exchange
  const wait = headers_ms ?? duration_ms
  const receive = Math.max(0, Math.round((duration_ms - wait) * 100) / 100)
  return {
    pageref: page,
    startedDateTime: after(startedAt, at_ms),
    time: wait + receive,
    request: requestOf(exchange),
    response: responseOf(exchange),
    cache: {},
    timings: { send: 0, wait, receive },
    _operation: operation,
    _attempt: attempt,
    _retried: retried
  }
}

/** The requests of a trial as an HTTP archive, which browsers' tools and many others open. */
export const harOf = (trace: Trace, creator: { readonly name: string; readonly version: string }): Har => {
  const { dropped, exchanges, index, scenario, startedAt, suite } = trace
  const title = `${suite} › ${scenario}, trial ${index + 1}`
  return {
    log: {
      version: "1.2",
      creator: { name: creator.name, version: creator.version },
      pages: [{ startedDateTime: startedAt, id: page, title, pageTimings: {} }],
      entries: exchanges.map((exchange) => entryOf(startedAt, exchange)),
      ...(dropped.exchanges === 0 ? {} : { comment: `${dropped.exchanges} more requests were not kept` })
    }
  }
}
