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

/** How many sessions are remembered, and for how long without a request. */
export interface Limits {
  readonly most: number
  readonly idle: Duration.Duration
}

const limits: Limits = { most: 1000, idle: Duration.hours(1) }

interface Session {
  usedAt_ms: number
  underway: number
}

/** What is wrong with a request that MCP answers with a status alone. */
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

/** Ends the sessions of an app of `McpServer`, which keeps them for ever: idle ones, and the longest idle of too many. */
export const bounded = (app: App, path: string, { idle, most }: Limits = limits): App => {
  // in the order in which they were used
  const sessions = new Map<string, Session>()

  const end = (id: string) =>
    Effect.suspend(() => {
      sessions.delete(id)
      const request = HttpClientRequest.delete(`http://localhost${path}`, { headers: { [sessionHeader]: id } })
      return Effect.provideService(
        app,
        HttpServerRequest.HttpServerRequest,
        HttpServerRequest.fromClientRequest(request)
      )
    })

  const isOver = ({ underway, usedAt_ms }: Session, now_ms: number) =>
    underway === 0 && now_ms - usedAt_ms >= Duration.toMillis(idle)

  const opened = Effect.fnUntraced(function* (id: string, now_ms: number) {
    sessions.set(id, { usedAt_ms: now_ms, underway: 0 })
    for (const [id, session] of sessions) {
      if (isOver(session, now_ms) || (sessions.size > most && session.underway === 0)) yield* end(id)
    }
  })

  const used = Effect.fnUntraced(function* (id: string, method: string) {
    const session = sessions.get(id)
    const now_ms = yield* Clock.currentTimeMillis
    if (session === undefined || isOver(session, now_ms)) {
      if (session !== undefined) yield* end(id)
      return refusal(404)
    }
    session.underway++
    const touch = Effect.map(Clock.currentTimeMillis, (now_ms) => {
      session.underway--
      session.usedAt_ms = now_ms
      if (sessions.delete(id)) sessions.set(id, session)
    })
    const response = yield* Effect.ensuring(app, touch)
    if (method === "DELETE" && response.status === 204) sessions.delete(id)
    return response
  })

  // `McpServer` sets the session's header only when it sends the response
  const sent = (response: HttpServerResponse.HttpServerResponse) => {
    const opening = response.headers[sessionHeader]
    const noted =
      opening === undefined || sessions.has(opening)
        ? Effect.void
        : Effect.flatMap(Clock.currentTimeMillis, (now_ms) => opened(opening, now_ms))
    return Effect.as(Effect.orDie(Effect.scoped(noted)), explained(response))
  }

  return Effect.gen(function* () {
    const { headers, method } = yield* HttpServerRequest.HttpServerRequest
    const id = headers[sessionHeader]
    const response = yield* id === undefined ? app : used(id, method)
    yield* HttpEffect.appendPreResponseHandler((_, response) => sent(response))
    return response
  })
}
