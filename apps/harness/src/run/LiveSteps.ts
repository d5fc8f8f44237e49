import type { Picture } from "@webagent/report/Trace"
import type { RunEvent } from "@webagent/report/RunEvent"
import { terminalRunStatuses } from "@webagent/contract/Wire"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { ExchangeListener } from "../observe/ExchangeListener.ts"
import * as TrialLog from "../observe/TrialLog.ts"
import * as AgentSteps from "./AgentSteps.ts"
import type { WatchedTrial } from "./RunnerOptions.ts"

/** Receives the latest picture of the browser in a running trial. */
export type PictureListener = (
  trial: Pick<WatchedTrial, "suite" | "scenario" | "index">,
  picture: Picture
) => Effect.Effect<void>

/** The listener of a person who watches a run. Without one, a run sends no requests about its agents' steps while they work. */
export const PictureListener: Context.Reference<PictureListener | undefined> = Context.Reference<
  PictureListener | undefined
>("webagent-harness/PictureListener", { defaultValue: () => undefined })

const Events = Schema.Struct({
  events: Schema.Array(Schema.Struct({ type: Schema.String })),
  nextAfter: Schema.NullOr(Schema.Int)
})
const decodeEvents = Schema.decodeUnknownOption(Events)

/** Seconds that the service may hold a request for events, and the pause before the next one. */
const held = { seconds: 20, pause: "200 millis" } as const

/** Time between two checks for new runs of the trial. A check doesn't send a request. */
const look = Schedule.spaced("200 millis")

const finalTypes: ReadonlySet<string> = new Set(terminalRunStatuses.map((status) => `run.${status}`))

interface LiveStepsOptions {
  readonly target: AgentSteps.StepsTarget
  readonly emit: (event: RunEvent) => Effect.Effect<void>
  readonly onPicture: PictureListener
}

/**
 * Follows the agent's steps in the runs of a trial by the events of each run, and emits the new ones with the latest picture. A
 * service without these events gets no further requests.
 */
export const make = ({ emit, onPicture, target }: LiveStepsOptions) => {
  /** Emits steps of a run that are new, or that have ended since; false if the service doesn't show them. */
  const makeReader = (id: string, { index, scenario, suite }: WatchedTrial) => {
    const known = new Map<number, string>()
    let pictured = 0
    return Effect.gen(function* () {
      const run = yield* AgentSteps.read(target, id)
      if (Option.isNone(run)) return false
      const { liveUrl, recordingUrl, runId, steps } = run.value
      const stored = AgentSteps.stored(steps)
      const changed = stored.filter((step) => known.get(step.number) !== JSON.stringify(step))
      for (const step of changed) known.set(step.number, JSON.stringify(step))
      if (changed.length > 0) {
        const agent = { runId, liveUrl, recordingUrl, count: steps.length, steps: changed }
        yield* emit({ _tag: "StepsSeen", suite, scenario, index, agent })
      }
      const last = steps.findLast(({ pictureUrl }) => pictureUrl !== undefined && pictureUrl !== null)
      if (last === undefined || last.number <= pictured) return true
      pictured = last.number
      for (const one of yield* AgentSteps.picture(target, { ...last, runId }))
        yield* onPicture({ suite, scenario, index }, one)
      return true
    })
  }

  const follow = Effect.fnUntraced(function* (id: string, read: Effect.Effect<boolean>) {
    let after = 0
    while (yield* read) {
      const { body, status } = yield* target.contextOf(0).request("v4", {
        method: "GET",
        path: `/runs/${encodeURIComponent(id)}/events?after=${after}`,
        headers: { prefer: `wait=${held.seconds}` }
      })
      const page = status === 200 ? decodeEvents(body) : Option.none()
      if (Option.isNone(page) || page.value.events.some(({ type }) => finalTypes.has(type))) break
      after = page.value.nextAfter ?? after
      yield* Effect.sleep(held.pause)
    }
  })

  return Effect.fnUntraced(
    function* (trial: WatchedTrial) {
      const following = yield* FiberMap.make<string>()
      const readers = new Map<string, Effect.Effect<boolean>>()
      // the steps between the last event and the end of the trial
      yield* Effect.addFinalizer(() =>
        Effect.ignore(Effect.forEach(readers.values(), (read) => read, { concurrency: "unbounded", discard: true }))
      )
      const findRuns = Effect.gen(function* () {
        for (const [id, { kind }] of trial.log.made) {
          if (kind !== "run" || readers.has(id)) continue
          const read = makeReader(id, trial)
          readers.set(id, read)
          yield* FiberMap.run(following, id, Effect.ignore(follow(id, read)))
        }
      })
      yield* Effect.forkScoped(Effect.repeat(findRuns, look))
    },
    // the requests of the harness are none of a trial's
    Effect.provideServiceEffect(
      TrialLog.TrialLog,
      Effect.sync(() => TrialLog.make())
    ),
    Effect.provideService(ExchangeListener, undefined)
  )
}
