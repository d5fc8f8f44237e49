import { type Ledger, type LedgerEntry, LedgerMemory } from "@webagent/core"
import { Sessions as V2Sessions } from "@webagent/v2"
import { Sessions as V3Sessions } from "@webagent/v3"
import { Browsers, Runs } from "@webagent/v4"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { CurrentIntent, Network } from "./Network.ts"
import type { Intent } from "./World.ts"

/** What a program was told of its run. */
export interface Delivery {
  readonly id: string
  readonly status: string | undefined
  readonly result: unknown
}

/** What became of an intent. */
export interface Told {
  readonly intent: Intent
  readonly exit: Exit.Exit<ReadonlyArray<Delivery>, unknown>
  readonly interrupted: boolean
  readonly ended_ms: number
}

/** The task of an intent's run, and the country of its browser: what the service knows it by. */
export const taskOf = ({ index }: Intent): string => `intent ${index}`
export const countryOf = ({ index }: Intent): string => `a${String.fromCodePoint(97 + index)}`

const delivered = (run: { readonly id: string; readonly status?: string; readonly result?: unknown }): Delivery => ({
  id: run.id,
  status: run.status,
  result: run.result
})

const work = Effect.fnUntraced(function* (intent: Intent) {
  const runs = yield* Runs
  const task = taskOf(intent)
  switch (intent.way) {
    case "v4":
      return [delivered(yield* runs.createAndWait({ task }))]
    case "v4 with two waiters": {
      const { id } = yield* runs.create({ task })
      return yield* Effect.all([runs.untilTerminal(id), runs.untilTerminal(id)], { concurrency: 2 }).pipe(
        Effect.map((both) => both.map(delivered))
      )
    }
    case "v3": {
      const sessions = yield* V3Sessions
      return [delivered(yield* sessions.createAndWait({ task }))]
    }
    case "v4 read through v2": {
      const sessions = yield* V2Sessions
      const { id, sessionId } = yield* runs.create({ task })
      const { tasks } = yield* sessions.untilTerminal(sessionId ?? "")
      return tasks.filter((each) => each.id === id).map((each) => ({ id, status: each.status, result: each.output }))
    }
  }
})

/** What a program does for an intent: a browser, and in it a run, waited for. */
const pursue = (intent: Intent) =>
  Effect.flatMap(Browsers, (browsers) =>
    browsers.use({ proxyCountryCode: countryOf(intent) }, () => work(intent))
  ).pipe(Effect.provideService(CurrentIntent, intent.index))

/** Pursues intents at the same time, interrupts those that are to be, and says what became of each. */
export const run = Effect.fnUntraced(function* (intents: ReadonlyArray<Intent>) {
  const network = yield* Network
  const counts = new Map<string, number>()
  const interrupts = new Map<number, (after_ms: number) => void>()
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const timers: Array<Fiber.Fiber<void>> = []
  network.onEvent((event, index) => {
    const interruption = intents[index]?.interruption
    if (interruption === undefined || (interruption.at !== event && interruption.at !== "step")) return
    const name = `${interruption.at} ${index}`
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    if (count === interruption.nth) interrupts.get(index)?.(interruption.after_ms)
  })

  return yield* Effect.forEach(
    intents,
    (intent) =>
      Effect.gen(function* () {
        yield* Effect.sleep(intent.starts_ms)
        let interrupted = false
        const begun = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(Effect.andThen(Deferred.await(begun), pursue(intent)))
        const interrupt = () => {
          interrupted = true
          fiber.interruptUnsafe()
        }
        // at once, as the request leaves or is answered, or a little later
        const soon = (after_ms: number) => {
          if (after_ms === 0) interrupt()
          else timers.push(fork(Effect.andThen(Effect.sleep(after_ms), Effect.sync(interrupt))))
        }
        interrupts.set(intent.index, soon)
        if (intent.interruption?.at === "time") soon(intent.interruption.after_ms)
        yield* Deferred.succeed(begun, undefined)
        const exit = yield* Fiber.await(fiber)
        interrupts.delete(intent.index)
        return { intent, exit, interrupted, ended_ms: yield* Clock.currentTimeMillis } satisfies Told
      }),
    { concurrency: "unbounded" }
  ).pipe(Effect.ensuring(Effect.suspend(() => Fiber.interruptAll(timers))))
})

/** A ledger in memory that keeps what was written into it. */
export const recordingLedger = (
  entries: Array<LedgerEntry>,
  tell: Network["Service"]["tell"]
): Effect.Effect<Ledger.Ledger> =>
  Effect.map(LedgerMemory.make, (ledger) => ({
    open: ledger.open,
    write: (entry) =>
      Effect.withFiber((fiber) => {
        const intent = fiber.getRef(CurrentIntent)
        tell("writing", intent)
        entries.push(entry)
        return Effect.tap(ledger.write(entry), () => Effect.sync(() => tell("written", intent)))
      })
  }))
