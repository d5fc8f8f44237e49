import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as Seed from "../domain/Seed.ts"
import type { Judgement, Turn, TurnEvent, TurnReport } from "../domain/Turn.ts"
import { Agent } from "./Agent.ts"
import * as TaskScript from "./TaskScript.ts"

/** How the simulated agent behaves where a task's script says nothing. */
export interface SimulatedAgentOptions {
  readonly seed?: Seed.Seed
  /** How long every turn takes; without it lognormal around 150 ms. */
  readonly turnDuration?: Duration.Input
  /** The share of turns that fail, 0 to 1; 0 unless given. */
  readonly failureRate?: number
}

/** The part of a turn's duration that it spends dispatching. */
const dispatchShare = 0.1

const judgement = (verdict: boolean): Judgement => ({
  verdict,
  reasoning: verdict ? "The simulated outcome fits the task." : "The simulated outcome does not fit the task.",
  failureReason: verdict ? null : "Asked for by the script."
})

const suggestion = (_: unknown, index: number) => ({
  category: "simulated",
  message: `Simulated suggestion ${index + 1}.`
})

const planOf = (turn: Turn, options: SimulatedAgentOptions) => {
  const seed = options.seed ?? 1
  const parsed = TaskScript.parse(turn.task)
  const script = Result.getOrElse(parsed, (error): TaskScript.TaskScript => ({
    outcome: "failed",
    error,
    duration: Duration.zero
  }))
  const drawn =
    options.turnDuration === undefined
      ? Duration.millis(150 * Math.exp(0.5 * Seed.drawNormal(seed, turn.id, "duration")))
      : Duration.fromInputUnsafe(options.turnDuration)
  const fails = Seed.draw(seed, turn.id, "outcome") < (options.failureRate ?? 0)
  const outcome = script.outcome ?? (fails ? "failed" : "completed")
  const completed = outcome === "completed"
  const unscripted = completed ? `Simulated result of: ${turn.task.slice(0, 200)}` : null
  const report: TurnReport = {
    // a script may well ask for null
    output: script.output === undefined ? unscripted : script.output,
    isSuccess: script.success ?? (completed ? true : null),
    judgement: script.judge === undefined ? null : judgement(script.judge),
    suggestions: script.suggestions === undefined ? null : Array.from({ length: script.suggestions }, suggestion),
    cost: script.cost ?? (0.002 + 0.05 * Seed.draw(seed, turn.id, "cost")).toFixed(4)
  }
  const end: TurnEvent =
    outcome === "failed"
      ? { _tag: "Failed", error: script.error ?? "The simulated agent failed.", report }
      : { _tag: outcome === "completed" ? "Completed" : "Cancelled", report }
  const { keepAlive, persistMemory, recording } = script
  const start: TurnEvent = {
    _tag: "Started",
    settings: {
      ...(keepAlive === undefined ? {} : { keepAlive }),
      ...(persistMemory === undefined ? {} : { persistMemory }),
      ...(recording === undefined ? {} : { recording })
    },
    ...(script.proxyMb === undefined ? {} : { proxyUsedMb: script.proxyMb })
  }
  return { duration: script.duration ?? drawn, start, end }
}

/**
 * An agent that waits and then reports what the task's script says, else what the seed and the turn's id say.
 * It opens no browser and reads no page. See `TaskScript`.
 */
export const layer = (options: SimulatedAgentOptions = {}): Layer.Layer<Agent> =>
  Layer.succeed(Agent, {
    model: "simulated",
    version: "simulated-1",
    perform: (turn) => {
      const { duration, end, start } = planOf(turn, options)
      /** The event, when this share of the duration has passed since then. */
      const after = (share: number, since_ms: number | null, event: TurnEvent) =>
        Stream.fromEffect(
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const left_ms = Duration.toMillis(duration) * share - (now - (since_ms ?? now))
            yield* Effect.sleep(Duration.millis(Math.max(0, left_ms)))
            return event
          })
        )
      const ended = after(1 - dispatchShare, turn.startedAt_ms, end)
      return turn.status === "running" ? ended : Stream.concat(after(dispatchShare, turn.dispatchedAt_ms, start), ended)
    }
  })
