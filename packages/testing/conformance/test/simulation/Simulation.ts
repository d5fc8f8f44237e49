import type { JournalEntry, Verdicts } from "@webagent/control"
import { ClientConfig, IdempotencyKey, Ledger, type LedgerEntry, type OpenItem, Transport } from "@webagent/core"
import { Control, SimulatedService, SimulatedState } from "@webagent/simulation"
import { V2 } from "@webagent/v2"
import { V3 } from "@webagent/v3"
import { V4 } from "@webagent/v4"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as Random from "effect/Random"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as Network from "./Network.ts"
import * as Program from "./Program.ts"
import { longestRun_ms, type World } from "./World.ts"

/** The key of every world's program: to be seen nowhere but in its header. */
export const apiKey = "wak_canary_7f3a"

/** All that is known of a world after it has ended. */
export interface History {
  readonly world: World
  readonly told: ReadonlyArray<Program.Told>
  /** Intents that had not ended when the world did. */
  readonly unended: boolean
  readonly sent: ReadonlyArray<Network.Sent>
  /** How many of them left before the client was closed. */
  readonly sentBeforeClose: number
  readonly ledger: ReadonlyArray<LedgerEntry>
  readonly open: ReadonlyArray<OpenItem>
  readonly journal: ReadonlyArray<JournalEntry>
  readonly verdicts: Verdicts
  readonly state: Effect.Success<SimulatedState["Service"]["snapshot"]>
  readonly logs: ReadonlyArray<string>
  /** Fibers that were still there when client and service had been closed. */
  readonly fibers: number
  readonly ended_ms: number
}

/** Replaces a part of the client: what a mutant is made of. */
export type Replace = (transport: Transport["Service"]) => Transport["Service"]

/** How long after its last fault a world may go on. */
export const patience_ms = longestRun_ms + 180_000

const client = (world: World, ledger: Ledger.Ledger, replace: Replace | undefined) => {
  const transport =
    replace === undefined
      ? Transport.layer
      : Layer.effect(Transport, Effect.map(Transport, replace)).pipe(Layer.provide(Layer.fresh(Transport.layer)))
  return Layer.mergeAll(V2.layerServices, V3.layerServices, V4.layerServices).pipe(
    Layer.provide(transport),
    Layer.provide(
      ClientConfig.layer({
        baseUrl: Network.address,
        apiKey,
        target: {
          idempotency: world.keys === "honoured" ? "honoured" : "unknown",
          refusals: world.refusals
        }
      })
    ),
    Layer.provide([
      Layer.succeed(Ledger.Current, ledger),
      Layer.succeed(IdempotencyKey.Current, IdempotencyKey.seeded)
    ]),
    Layer.orDie,
    Layer.fresh
  )
}

const text = (value: unknown): string =>
  value instanceof Error ? `${value.message} ${JSON.stringify(value)}` : (JSON.stringify(value) ?? String(value))

/** Lives through a world, on a clock of its own, and tells its history. */
export const simulate = (world: World, replace?: Replace): Effect.Effect<History> =>
  Effect.gen(function* () {
    const logs: Array<string> = []
    const entries: Array<LedgerEntry> = []
    let fibers = 0
    const counting: Metric.FiberRuntimeMetricsService = {
      recordFiberStart: () => void fibers++,
      recordFiberEnd: () => void fibers--
    }
    const logger = Logger.make(({ message }) => {
      logs.push((Array.isArray(message) ? message : [message]).map(text).join(" "))
    })

    const history = Effect.gen(function* () {
      const service = yield* Layer.build(
        Network.layer(world).pipe(
          Layer.provideMerge(
            SimulatedService.layerHttpClient({
              seed: world.seed,
              apiKeys: [apiKey],
              profile: world.profile,
              faults: world.faults
            })
          )
        )
      )
      const { sent, tell } = Context.get(service, Network.Network)
      const ledger = yield* Program.recordingLedger(entries, tell)
      const clientScope = yield* Scope.make()
      const using = yield* Layer.build(
        Layer.provide(client(world, ledger, replace), Layer.succeedContext(service))
      ).pipe(Scope.provide(clientScope))
      const program = yield* Effect.forkChild(
        Effect.provideContext(Program.run(world.intents), Context.merge(service, using))
      )
      let left_ms = world.lull_ms + patience_ms
      while (program.pollUnsafe() === undefined && left_ms > 0) {
        yield* TestClock.adjust(10_000)
        left_ms -= 10_000
      }
      const ended_ms = yield* Clock.currentTimeMillis
      const unended = program.pollUnsafe() === undefined
      const told = unended ? [] : yield* Fiber.join(program)
      if (unended) yield* Effect.andThen(Effect.forkChild(Fiber.interrupt(program)), TestClock.adjust("5 minutes"))
      yield* Scope.close(clientScope, Exit.void)
      const sentBeforeClose = sent.length
      yield* TestClock.adjust("1 minute")
      const control = Context.get(service, Control)
      const journal = (yield* control.journal({ limit: 20_000 })).entries
      const verdicts = yield* control.verdicts
      const state = yield* Context.get(service, SimulatedState).snapshot
      const open = yield* Effect.orDie(ledger.open)
      return {
        world,
        told,
        unended,
        sent,
        sentBeforeClose,
        ledger: entries,
        open,
        journal,
        verdicts,
        state,
        logs,
        ended_ms
      }
    })

    const lived = yield* history.pipe(
      Effect.scoped,
      Effect.provideService(Metric.FiberRuntimeMetrics, counting),
      Effect.provide(Logger.layer([logger])),
      Random.withSeed(world.seed),
      Effect.provide(TestClock.layer())
    )
    return { ...lived, fibers }
  })
