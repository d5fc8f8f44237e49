import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import { type Content, contentOf, type Exchange, hidden } from "./Cassette.ts"

/** The destination of recorded exchanges. */
interface RecorderOptions {
  /** The header that carries the API key; its value is taken out of everything that is kept. */
  readonly apiKeyHeader: string
  readonly keep: (exchange: Exchange) => Effect.Effect<void>
}

const kept = ["content-type", "retry-after"] as const

const decoder = new TextDecoder()

/** A link opens what it leads to for anyone who has it: its host alone is kept. The events of a run need the key. */
const isLink = (key: string, value: string) =>
  key.endsWith("Url") && key !== "eventsUrl" && /^[a-z]+:\/\//iu.test(value)

const hostOf = (link: string) => {
  const url = URL.parse(link)
  return url === null ? hidden : `${url.protocol}//${url.host}/redacted`
}

const hiddenIn = (text: string, hide: (text: string) => string): Content | undefined => {
  // parsed first: a service may echo the key with any of its characters escaped
  const content = contentOf(text, (key, value) => {
    if (typeof value === "string") return isLink(key, value) ? hostOf(value) : hide(value)
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [hide(name), one]))
  })
  return content !== undefined && "text" in content ? { text: hide(content.text) } : content
}

const sentBy = ({ body }: HttpClientRequest.HttpClientRequest): string =>
  body._tag === "Uint8Array" ? decoder.decode(body.body) : ""

/**
 * A client that hands each answered request of `/api/vN` to `keep`, without the API key and without links that open
 * something. A request that got no answer is not recorded. Times are from when it was made.
 */
export const make = (client: HttpClient.HttpClient, { apiKeyHeader, keep }: RecorderOptions) =>
  Effect.map(Clock.Clock, (clock) => {
    const keys = new Set<string>()
    const hide = (text: string) => {
      let rest = text
      for (const key of keys) {
        for (const form of [key, encodeURIComponent(key)]) rest = rest.replaceAll(form, hidden)
      }
      return rest
    }
    const now_ms = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    const began_ms = now_ms()
    const rounded = (ms: number) => Math.round(ms * 100) / 100
    return HttpClient.transform(client, (effect, request) => {
      const path = /\/api\/v\d+\/.*$/u.exec(request.url)?.[0]
      if (path === undefined) return effect
      const key = request.headers[apiKeyHeader.toLowerCase()]
      if (key !== undefined && key !== "") keys.add(key)
      const at_ms = now_ms()
      return Effect.tap(effect, (response) =>
        // a body that breaks off is the reader's to handle
        Effect.flatMap(Effect.option(response.text), (read) => {
          if (Option.isNone(read)) return Effect.void
          const sent = hiddenIn(sentBy(request), hide)
          const got = hiddenIn(read.value, hide)
          return keep({
            at_ms: rounded(at_ms - began_ms),
            took_ms: rounded(now_ms() - at_ms),
            method: request.method,
            path: hide(path),
            ...(sent === undefined ? {} : { sent }),
            status: response.status,
            headers: Object.fromEntries(
              kept.flatMap((name) => (response.headers[name] === undefined ? [] : [[name, response.headers[name]]]))
            ),
            ...(got === undefined ? {} : { got })
          })
        })
      )
    })
  })
