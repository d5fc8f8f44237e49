import { it } from "@effect/vitest"
import type { FaultPlan, JournalEntry } from "@webagent/control"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Server } from "@webagent/server"
import { Journal } from "../../src/journal/Journal.ts"
import type { Simulation } from "../../src/requests/Simulation.ts"
import { type Answer, ask, dial, parse, request } from "../wire.ts"
import type { SimulationParts } from "../../src/Parts.ts"
import * as SimulatedService from "../../src/SimulatedService.ts"

type Parts = Server | Simulation | SimulationParts | Scope.Scope

/** One fault on the first create of a run. */
export const planOf = (fault: FaultPlan[number]["fault"]): FaultPlan => [
  { name: "f", fault, when: { operations: ["v4.createRun"], attempts: [1] } }
]

/** Creates a run, as text on the wire. */
export const create = ask("POST", "/api/v4/runs", { task: "mug" })

/** A server of its own, on which service time stands still until it is moved. */
export const withFaults = <A, E>(faults: FaultPlan, test: Effect.Effect<A, E, Parts>) =>
  Effect.scoped(Effect.provide(test, Layer.fresh(SimulatedService.layer({ faults })), { local: true }))

/** The rows of the journal of one type. */
export const rows = <Type extends JournalEntry["type"]>(type: Type) =>
  Effect.map(
    Journal.use((journal) => journal.read({ type })),
    ({ entries }) => entries as ReadonlyArray<Extract<JournalEntry, { readonly type: Type }>>
  )

/** The row of the request with the fault, and how many runs there are. */
export const evidence = Effect.gen(function* () {
  const [row] = (yield* rows("request")).filter(({ fault }) => fault === "f")
  const moves = yield* rows("move")
  return { row, runs: moves.filter(({ from, of }) => of === "turn" && from === null).length }
})

/** A connection that has become a WebSocket. */
export const upgraded = Effect.fnUntraced(function* (cdpUrl: string) {
  const { pathname, search } = new URL(cdpUrl)
  const wire = yield* dial
  const headers = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"]
  wire.send(request("GET", pathname + search, undefined, [...headers, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]))
  yield* wire.until((text) => parse(text) !== undefined)
  return wire
})

/** The JSON of an answer. */
export const bodyOf = (answer: Answer | undefined): unknown => JSON.parse(answer?.body ?? "")

/** A create that has been sent, and whose response is not awaited. */
export const sent = Effect.tap(dial, (wire) =>
  Effect.sync(() => wire.send(request("POST", "/api/v4/runs", { task: "mug" })))
)

/** A test of one fault on the first create of a run. */
export const onCreate = <E>(
  name: string,
  fault: FaultPlan[number]["fault"],
  body: () => Generator<Effect.Effect<unknown, E, Parts>, void, never>
) => it.effect(name, () => withFaults(planOf(fault), Effect.gen(body)))

/** A create that waits for its connection: a port that opens again does so in real time. */
export const again: typeof create = Effect.suspend(() =>
  Effect.flatMap(create, (asked) => (asked.answer?.status === 201 ? Effect.succeed(asked) : again))
)
