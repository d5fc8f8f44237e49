import { type Caller, createOf, ownWaitOf, waiting } from "@webagent/core/promise/Caller"
import * as Effect from "effect/Effect"
import * as V4 from "../Sessions.ts"
import type { FollowUpAndWaitOptions, Sessions } from "./Sessions.ts"

/** The operations on sessions, as promises. */
export const make = ({ call }: Caller<V4.Sessions>): Sessions => {
  const sessions = <A, E>(f: (sessions: V4.Sessions["Service"]) => Effect.Effect<A, E>) =>
    Effect.flatMap(V4.Sessions, f)

  return {
    queue: (id, message, options) =>
      call(() => sessions((sessions) => sessions.queue(id, message, createOf(options))), options),
    followUp: (id, text, options) =>
      call(() => sessions((sessions) => sessions.followUp(id, text, createOf(options))), options),
    interrupt: (id, text, options) =>
      call(() => sessions((sessions) => sessions.interrupt(id, text, createOf(options))), options),
    followUpAndWait: ((id: string, text: string, options?: FollowUpAndWaitOptions) =>
      call(
        () =>
          sessions((sessions) =>
            sessions.followUpAndWait(id, text, {
              ...ownWaitOf(options),
              idempotencyKey: options?.idempotencyKey,
              extraBody: options?.extraBody,
              interrupt: options?.interrupt
            })
          ),
        options,
        waiting
      )) as Sessions["followUpAndWait"]
  }
}
