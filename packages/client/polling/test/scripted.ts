import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { PollSchedule } from "../src/index.ts"

/** A failure that may pass. */
export class Blip {
  readonly _tag = "Blip"
  readonly retryAfter: Duration.Duration | undefined
  constructor(retryAfter?: Duration.Duration) {
    this.retryAfter = retryAfter
  }
}

/** A failure that ends a wait. */
export class Gone {
  readonly _tag = "Gone"
}

/** What each poll answers. */
export type Script = (poll: number, now: number) => string | Blip | Gone | "hang"

/** Something to poll that notes when it is polled. */
export const scripted = (script: Script) => {
  const polledAt: Array<number> = []
  const check = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    polledAt.push(now)
    const answer = script(polledAt.length, now)
    if (answer === "hang") return yield* Effect.never
    return typeof answer === "string" ? answer : yield* Effect.fail(answer)
  })
  return { polledAt, check }
}

/** What is polled, but for its check. */
export const polled = {
  kind: "run",
  isTerminal: (status: string) => status === "completed",
  retryable: (error: Blip | Gone) => (error._tag === "Blip" ? { retryAfter: error.retryAfter } : undefined)
}

/** The schedule of most tests. */
export const everySecond = PollSchedule.every("1 second")
