import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Turn, TurnEvent } from "../domain/Turn.ts"
import { Behaviour, type BehaviourOptions } from "../simulation/Behaviour.ts"
import { Agent } from "./Agent.ts"
import * as TurnPlan from "./TurnPlan.ts"

/** The event, when this long has passed since then, or from now on. */
const after = (wait_ms: number, since_ms: number | null, event: () => TurnEvent) =>
  Stream.fromEffect(
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.map(Effect.sleep(Math.max(0, (since_ms ?? now) + wait_ms - now)), event)
    )
  )

const make = Effect.map(Behaviour, (behaviour): Agent["Service"] => {
  let abandoned = Deferred.makeUnsafe<void>()
  const force = (): TurnPlan.Force => ({ profile: behaviour.profile(), seed: behaviour.seed() })

  const perform = (turn: Turn) =>
    Stream.suspend(() => {
      const begun = force()
      const { dispatch, letGo, work } = TurnPlan.times(turn, begun)
      const ended = after(work, turn.startedAt_ms, () => TurnPlan.ended(turn, begun))
      const started = () => TurnPlan.started(turn, begun)
      const events =
        turn.status === "running" ? ended : Stream.concat(after(dispatch, turn.dispatchedAt_ms, started), ended)
      if (letGo === 0) return events
      const gone = Deferred.await(abandoned)
      return Stream.onExit(events, (exit) =>
        Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
          ? Effect.raceFirst(Effect.sleep(letGo), gone)
          : Effect.void
      )
    })

  return {
    model: "simulated",
    version: "simulated-1",
    perform,
    settings: (sessionId) => TurnPlan.settings(sessionId, force()),
    abandon: Effect.suspend(() => {
      const begun = abandoned
      abandoned = Deferred.makeUnsafe()
      return Effect.asVoid(Deferred.succeed(begun, undefined))
    })
  }
})

/**
 * An agent that waits and then reports what the task's script says, else what the profile, the seed and the turn's
 * id say. It opens no browser and reads no page. See `TaskScript` and `Behaviour`.
 */
export const layerBehaving: Layer.Layer<Agent, never, Behaviour> = Layer.effect(Agent, make)

/** The same with a behaviour of its own. */
export const layer = (options: BehaviourOptions = {}): Layer.Layer<Agent> =>
  Layer.provide(layerBehaving, Behaviour.layer(options))
