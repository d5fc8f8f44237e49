import { type Caller, createOf, inputOf, ownWaitOf, waiting } from "@webagent/core/promise/Caller"
import * as Effect from "effect/Effect"
import * as V4 from "../Sessions.ts"
import type { FollowUpAndWaitOptions, Sessions } from "./Sessions.ts"

/** The operations on sessions, as promises. */
export const make = ({ call }: Caller<V4.Sessions>): Sessions => {
  const sessions = <A, E>(f: (sessions: V4.Sessions["Service"]) => Effect.Effect<A, E>) =>
    Effect.flatMap(V4.Sessions, f)

  return {
    queue: (id, message, options) =>
      call(() => {
        const [sent, chosen] = [inputOf(message), createOf(options)]
        return sessions((sessions) => sessions.queue(id, sent, chosen))
      }, options),
    followUp: (id, text, options) =>
      call(() => sessions((sessions) => sessions.followUp(id, text, createOf(options))), options),
    interrupt: (id, text, options) =>
      call(() => sessions((sessions) => sessions.interrupt(id, text, createOf(options))), options),
    followUpAndWait: ((id: string, text: string, options?: FollowUpAndWaitOptions) =>
      call(
        () => {
          const chosen = { ...ownWaitOf(options), ...createOf(options), interrupt: options?.interrupt }
          return sessions((sessions) => sessions.followUpAndWait(id, text, chosen))
        },
        options,
        waiting
      )) as Sessions["followUpAndWait"]
  }
}
