import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { HandOff } from "../src/domain/Question.ts"
import * as Turn from "../src/domain/Turn.ts"
import type { Asked, HandedOver } from "../src/ports/Agent.ts"
import { Store } from "../src/ports/Store.ts"
import type { StreamingAgent } from "../src/StreamingAgent.ts"
import { completed, type Parts, started } from "./starts.ts"

export const asked: Asked = { reason: "question", question: "Which mug?", choices: ["Red", "Blue"], askedBy: "agent" }

export const handOff: HandOff = { timeout_ms: 600_000, whenUnanswered: "continue", pausesLimits: true }

export const step = { summary: "click", address: null, picture: null }

/** An agent that asks a person in its browser, and keeps the outcomes and the time for which its limits stood still. */
export const asking = (question: Asked = asked) => {
  const outcomes: Array<HandedOver | null> = []
  const paused: Array<number> = []
  const perform: StreamingAgent["perform"] = (turn, attempt) => {
    const work = Effect.gen(function* () {
      yield* attempt.browser
      if (Turn.isHandedOver(turn)) outcomes.push(...(yield* attempt.handedOver()))
      else {
        yield* attempt.step(step)
        outcomes.push(yield* attempt.ask(question, "notes"))
        yield* attempt.stepEnded(null)
      }
      paused.push(yield* attempt.paused_ms)
      return completed
    })
    return Stream.concat(
      turn.status === "running" ? Stream.empty : Stream.make(started),
      Stream.fromEffect(Effect.scoped(work))
    )
  }
  const parts: Parts = { perform, agent: { resumes: Turn.isPaused } }
  return { parts, outcomes, paused }
}

export const stored = (id: string) =>
  Effect.map(
    Store.use((store) => store.turn(id)),
    Option.getOrThrow
  )

export const answer = { questionId: "1", answer: "Blue", by: "ann" }
