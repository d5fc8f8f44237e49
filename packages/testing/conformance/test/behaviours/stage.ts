import type { FaultPlan, JournalEntry, Oracle, Route } from "@webagent/control"
import { ClientConfig, type ClientOptions, RetryPolicy, Transport } from "@webagent/core"
import { PollSchedule } from "@webagent/polling"
import { Control, Server, type SimulatedOptions, SimulatedService } from "@webagent/simulation"
import { V2 } from "@webagent/v2"
import { V3 } from "@webagent/v3"
import { V4 } from "@webagent/v4"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { httpClients } from "../clients.ts"

/** The key of every client here: to be seen nowhere but in its header. */
export const apiKey = "wak_canary_51c9"

/** What goes wrong, and how the client is told to be. */
export interface Stage {
  readonly faults?: FaultPlan
  readonly service?: SimulatedOptions
  readonly client?: Partial<ClientOptions>
  readonly http?: keyof typeof httpClients
}

/** Pauses as they are meant to be, only shorter; what the service asks for is waited for in full. */
const impatient = Layer.mergeAll(
  Layer.succeed(RetryPolicy.Current, {
    ...RetryPolicy.standard,
    base: Duration.millis(1),
    throttledBase: Duration.millis(1)
  }),
  Layer.succeed(PollSchedule.Current, PollSchedule.every("5 millis"))
)

/** The clients of all versions, over real sockets, at a simulated service of their own that has faults. */
export const layer = ({ client = {}, faults = [], http = "undici", service = {} }: Stage) =>
  Layer.unwrap(
    Effect.map(Server, ({ address }) =>
      Layer.mergeAll(V2.layerServices, V3.layerServices, V4.layerServices).pipe(
        Layer.provide(impatient),
        Layer.provideMerge(Layer.provide(Transport.layer, impatient)),
        Layer.provide(Layer.orDie(ClientConfig.layer({ baseUrl: address, apiKey, ...client }))),
        Layer.provide(httpClients[http])
      )
    )
  ).pipe(
    Layer.provideMerge(Layer.orDie(SimulatedService.layer({ apiKeys: [apiKey], faults, ...service }))),
    Layer.fresh
  )

type Row<Type extends JournalEntry["type"]> = Extract<JournalEntry, { readonly type: Type }>

const rows = <Type extends JournalEntry["type"]>(type: Type) =>
  Effect.map(
    Control.use((control) => control.journal({ type, limit: 20_000 })),
    ({ entries }) => entries as ReadonlyArray<Row<Type>>
  )

/** The requests of an operation that the service has seen, in order. */
export const requests = (operation: Route) =>
  Effect.map(rows("request"), (all) => all.filter((row) => row.operation === operation))

/** How many of a kind were made. */
export const made = (kind: "session" | "turn" | "browser") =>
  Effect.map(rows("move"), (all) => all.filter(({ from, of }) => of === kind && from === null).length)

/** What an oracle of the service has found against its callers. */
export const findings = (oracle: Oracle) =>
  Effect.map(
    Control.use((control) => control.verdicts),
    ({ verdicts }) => verdicts.find((verdict) => verdict.oracle === oracle)?.findings ?? []
  )

/** One fault on some requests of an operation. */
export const on = (
  operation: Exclude<Route, "trap">,
  fault: FaultPlan[number]["fault"],
  attempts: readonly [number, ...ReadonlyArray<number>] = [1]
): FaultPlan[number] => ({ fault, when: { operations: [operation], attempts } })

/** Looks until it is so, which the service may learn a moment after its client: that a caller has left, above all. */
export const eventually = <A, E, R>(look: Effect.Effect<A, E, R>, isSo: (seen: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.flatMap(look, (seen) =>
    isSo(seen) ? Effect.succeed(seen) : Effect.andThen(Effect.sleep("5 millis"), eventually(look, isSo))
  )
