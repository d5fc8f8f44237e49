import type { JournalEntry } from "@webagent/control"
import { CreateOutcomeUnknown } from "@webagent/core"
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { History } from "./Simulation.ts"

type RequestRow = Extract<JournalEntry, { readonly type: "request" }>

/** What some world has to reach, or the simulation proves less than it seems to: each told of its requests. */
const byRequest: Readonly<Record<string, (row: RequestRow) => boolean>> = {
  "429 during a stop": ({ operation, status }) => operation === "v4.updateBrowser" && status === 429,
  "stop answered by an error": ({ operation, status }) => operation === "v4.updateBrowser" && (status ?? 0) >= 500,
  "answer of a create lost": ({ answered, made }) => made !== null && answered === "none",
  redirect: ({ status }) => status !== null && status >= 300 && status < 400,
  "404 just after a create": ({ fault, status }) => fault === "stale" && status === 404,
  "hang ended by the client": ({ answered, fault }) => answered === "left" && fault?.startsWith("hang") === true,
  "cut body": ({ answered }) => answered === "part",
  "Retry-After as a date": ({ fault, status }) => fault === "throttled-until" && status === 429,
  outage: ({ fault }) => fault === "outage",
  "body that is no JSON": ({ fault }) => fault === "mangled",
  "a create sent twice under one key": ({ create, fault }) => create !== null && fault === "twice",
  "429 of the service's own limit": ({ fault, status }) => fault === null && status === 429
}

const byHistory: Readonly<Record<string, (history: History) => boolean>> = {
  "a refused connection": ({ sent }) => sent.some(({ refused }) => refused),
  "a create tried again under its key": ({ sent, world }) => {
    const creates = sent.filter(({ method }) => method === "POST")
    return (
      world.keys === "honoured" && new Set(creates.map(({ idempotencyKey }) => idempotencyKey)).size < creates.length
    )
  },
  "an outcome unknown": ({ told }) =>
    told.some(
      ({ exit }) =>
        Exit.isFailure(exit) && Option.getOrUndefined(Cause.findErrorOption(exit.cause)) instanceof CreateOutcomeUnknown
    ),
  "interruption during a create": ({ sent, told }) =>
    told.some(({ intent: { index, interruption }, interrupted }) => {
      const hit = sent.filter(({ intent }) => intent === index)[(interruption?.nth ?? 0) - 1]
      return interrupted && hit?.method === "POST" && !hit.refused && hit.status === undefined
    }),
  "a stop after an interruption": ({ told }) => told.some(({ interrupted }) => interrupted)
}

/** All that the worlds together have to reach. */
export const all: ReadonlyArray<string> = [...Object.keys(byRequest), ...Object.keys(byHistory)]

/** What a world has reached. */
export const of = (history: History): ReadonlyArray<string> => {
  const requests = history.journal.filter((row) => row.type === "request")
  return [
    ...Object.keys(byRequest).filter((name) => requests.some((row) => byRequest[name]?.(row))),
    ...Object.keys(byHistory).filter((name) => byHistory[name]?.(history))
  ]
}
