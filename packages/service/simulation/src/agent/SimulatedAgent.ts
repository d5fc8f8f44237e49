import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Behavior } from "../behavior/Behavior.ts"
import { Agent, Turn } from "@webagent/engine"
import * as CostPause from "./CostPause.ts"
import * as ScheduledAgent from "./ScheduledAgent.ts"
import * as StepPlan from "./StepPlan.ts"
import * as TurnPlan from "./TurnPlan.ts"

/** Returns the schedule of every turn under the current profile and seed. */
const schedule = (force: TurnPlan.Force): ScheduledAgent.TurnSchedule => ({
  next: (turn) => {
    return turn.status === "running"
      ? { at_ms: TurnPlan.endsAt(turn, force), event: () => TurnPlan.ended(turn, force) }
      : {
          at_ms: (turn.dispatchedAt_ms ?? 0) + TurnPlan.times(turn, force).dispatch,
          event: () => TurnPlan.started(turn, force)
        }
  },
  progress: (turn) => StepPlan.next(turn, force),
  ask: (turn) => CostPause.earlier(TurnPlan.question(turn, force), CostPause.question(turn, force)),
  stopDelay_ms: (turn) => TurnPlan.times(turn, force).letGo,
  used: (turn, at_ms) => TurnPlan.used(turn, at_ms, force),
  // a crash loses a quarter of the cost at most; turns of a few seconds are stored no more often than before
  usedEvery_ms: (turn) => Math.max(5000, TurnPlan.times(turn, force).work / 4)
})

/** Makes the agent of one engine: its turns follow the profile and the seed that are in force when they begin. */
export const make = Effect.map(Behavior, (behavior): ScheduledAgent.ScheduledAgent => {
  const force = (): TurnPlan.Force => ({ profile: behavior.profile(), seed: behavior.seed() })
  let last = force()
  let scheduled = schedule(last)
  return {
    model: "simulated",
    version: "simulated-1",
    // any model is simulated alike
    accepts: () => true,
    // it types nothing, and needs no value
    hasSecret: () => true,
    replays: "all",
    // a turn keeps what was in force when it began; one value is enough for all that begin before that changes
    schedule: () => {
      const now = force()
      if (now.profile !== last.profile || now.seed !== last.seed) {
        last = now
        scheduled = schedule(now)
      }
      return scheduled
    },
    // no page is lost with a node while a turn waits
    resumes: Turn.isHandedOver,
    settings: (sessionId) => TurnPlan.settings(sessionId, force())
  }
})

/**
 * An agent that waits and then reports what the task's script says, else what the profile, the seed and the turn's
 * id say. It reads no page, and opens a browser only with `usesBrowsers`. See `TaskScript` and `Behavior`.
 */
export const layerOf = (
  options: Pick<ScheduledAgent.ScheduledAgent, "usesBrowsers">
): Layer.Layer<Agent, never, Behavior> =>
  Layer.effect(
    Agent,
    Effect.map(make, (agent) => ScheduledAgent.make({ ...agent, ...options }))
  )

/** The agent without browsers. */
export const layer = layerOf({})
