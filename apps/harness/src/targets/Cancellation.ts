import type { JsonObject } from "@webagent/contract"
import { stopStrategies } from "@webagent/contract/Wire"
import { isTerminalRunStatus } from "@webagent/contract/v4"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import type { Introspection } from "./Introspection.ts"

/** A request to the service, and its response; status 0 if there was none. */
export type Send = (
  version: "v3" | "v4",
  method: "GET" | "POST",
  path: string,
  body?: JsonObject
) => Effect.Effect<{ readonly status: number; readonly body: unknown }>

/** `over`: it has ended. `running`: the service didn't stop it. `unserved`: the service has no operation for that. */
export type Cancelled = "over" | "running" | "unserved"

/** Ends a run or a session. */
export type Cancel = (kind: string, id: string) => Effect.Effect<Cancelled>

/** A run may need a moment to stop after it was cancelled: about six seconds. */
const grace = Schedule.upTo(Schedule.exponential("50 millis"), { times: 7 })

/** True if the same request may fare better a moment later. */
const isTransient = ({ status }: { readonly status: number }) => status === 0 || status === 429 || status >= 500

const isGood = (status: number) => status >= 200 && status < 300

const isEnded = (body: unknown) =>
  Predicate.isObject(body) && "status" in body && typeof body.status === "string" && isTerminalRunStatus(body.status)

/**
 * Ends runs and sessions that exist, by the operations of published clients. The description has none, so a service may
 * lack them.
 */
export const published = (sendOnce: Send): Cancel => {
  const send: Send = (...request) =>
    Effect.repeat(sendOnce(...request), { schedule: grace, until: (response) => !isTransient(response) })
  const cancelRun = Effect.fnUntraced(function* (path: string) {
    const { body, status } = yield* send("v4", "POST", `${path}/cancel`)
    if (status === 404 || status === 405) return "unserved"
    // 409: it ended in the meantime
    if (!isGood(status) && status !== 409) return "running"
    if (isEnded(body)) return "over"
    const read = Effect.map(send("v4", "GET", `${path}/status`), (response) => isEnded(response.body))
    return (yield* Effect.repeat(read, { schedule: grace, until: (ended) => ended })) ? "over" : "running"
  })
  const stopSession = Effect.fnUntraced(function* (path: string) {
    const { status } = yield* send("v3", "POST", `${path}/stop`, { strategy: stopStrategies[1] })
    return isGood(status) ? "over" : status === 404 || status === 405 ? "unserved" : "running"
  })
  return (kind, id): Effect.Effect<Cancelled> => {
    if (kind === "run") return cancelRun(`/runs/${encodeURIComponent(id)}`)
    return kind === "session" ? stopSession(`/sessions/${encodeURIComponent(id)}`) : Effect.succeed("unserved")
  }
}

/** Ends runs and sessions by the service's own operations, and those that remain through its control API. */
export const orThrough =
  (control: Introspection["end"] | undefined, cancel: Cancel): Cancel =>
  (kind, id) =>
    Effect.flatMap(cancel(kind, id), (cancelled) =>
      cancelled === "over" || control === undefined
        ? Effect.succeed(cancelled)
        : Effect.map(control(kind, id), (isOver): Cancelled => (isOver ? "over" : cancelled))
    )
