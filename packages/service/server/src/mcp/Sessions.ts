import { apiKeyHeader } from "@webagent/contract/Wire"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"

/** An app that serves MCP, or one behind it. */
export type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  unknown,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** The header that names a session. */
export const sessionHeader = "mcp-session-id"

/** The key of a request: as the API takes it, or as clients of MCP send one. */
export const keyOf = ({ headers }: HttpServerRequest.HttpServerRequest): string =>
  headers[apiKeyHeader.toLowerCase()] ?? /^Bearer (.+)$/iu.exec(headers["authorization"] ?? "")?.[1] ?? ""

/** The largest number of sessions per API key, and how long a session lasts without a request. */
export interface Limits {
  readonly most: number
  readonly idle: Duration.Duration
}

const limits: Limits = { most: 1000, idle: Duration.hours(1) }

interface Session {
  usedAt_ms: number
  underway: number
}

/** Messages for requests that MCP rejects with a status alone. */
const sentences: { readonly [status: number]: string } = {
  400: "This MCP request does not fit its session. Check the headers Mcp-Session-Id and MCP-Protocol-Version.",
  403: "Requests of web pages, which have an Origin, are refused.",
  404: "This MCP session has ended. Start a new one with initialize.",
  405: "MCP takes a POST, and a DELETE to end a session. There is no stream to GET.",
  406: "The header Accept must name application/json and text/event-stream.",
  415: "The header Content-Type must be application/json."
}

const refusal = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.jsonUnsafe({ detail: sentences[status] }, { status, headers })

const explained = (response: HttpServerResponse.HttpServerResponse) => {
  const { body, headers, status } = response
  if (sentences[status] === undefined || body._tag !== "Empty") return response
  return refusal(status, headers["allow"] === undefined ? {} : { allow: headers["allow"] })
}

/**
 * Ends the sessions of an app of `McpServer`, which keeps them forever: idle ones, and the longest idle ones of a key
 * that has too many. A session belongs to the key that opened it. For any other key it doesn't exist.
 */
export const bounded = (app: App, path: string, { idle, most }: Limits = limits): App => {
  /** The sessions of each key, in the order in which they were used. */
  const byKey = new Map<string, Map<string, Session>>()

  const forget = (key: string, id: string) => {
    const sessions = byKey.get(key)
    if (sessions?.delete(id) === true && sessions.size === 0) byKey.delete(key)
  }

  const end = (key: string, id: string) =>
    Effect.suspend(() => {
      forget(key, id)
      const request = HttpClientRequest.delete(`http://localhost${path}`, { headers: { [sessionHeader]: id } })
      return Effect.provideService(
        app,
        HttpServerRequest.HttpServerRequest,
        HttpServerRequest.fromClientRequest(request)
      )
    })

  const isOver = ({ underway, usedAt_ms }: Session, now_ms: number) =>
    underway === 0 && now_ms - usedAt_ms >= Duration.toMillis(idle)

  const opened = Effect.fnUntraced(function* (key: string, opening: string, now_ms: number) {
    const own = byKey.get(key) ?? new Map<string, Session>()
    byKey.set(key, own.set(opening, { usedAt_ms: now_ms, underway: 0 }))
    for (const [key, sessions] of byKey) {
      for (const [id, session] of sessions) {
        if (isOver(session, now_ms) || (sessions.size > most && session.underway === 0)) yield* end(key, id)
      }
    }
  })

  const used = Effect.fnUntraced(function* (key: string, id: string, method: string) {
    const session = byKey.get(key)?.get(id)
    const now_ms = yield* Clock.currentTimeMillis
    if (session === undefined || isOver(session, now_ms)) {
      if (session !== undefined) yield* end(key, id)
      return refusal(404)
    }
    session.underway++
    const touch = Effect.map(Clock.currentTimeMillis, (now_ms) => {
      session.underway--
      session.usedAt_ms = now_ms
      const sessions = byKey.get(key)
      if (sessions?.delete(id) === true) sessions.set(id, session)
    })
    const response = yield* Effect.ensuring(app, touch)
    if (method === "DELETE" && response.status === 204) forget(key, id)
    return response
  })

  // `McpServer` sets the session's header only when it sends the response
  const sent = (key: string, response: HttpServerResponse.HttpServerResponse) => {
    const opening = response.headers[sessionHeader]
    const noted =
      opening === undefined || byKey.get(key)?.has(opening) === true
        ? Effect.void
        : Effect.flatMap(Clock.currentTimeMillis, (now_ms) => opened(key, opening, now_ms))
    // a session ends in memory, so a failure is a bug
    return Effect.as(Effect.orDie(Effect.scoped(noted)), explained(response))
  }

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const key = keyOf(request)
    const id = request.headers[sessionHeader]
    const response = yield* id === undefined ? app : used(key, id, request.method)
    yield* HttpEffect.appendPreResponseHandler((_, response) => sent(key, response))
    return response
  })
}
