import type { WaitOptions, WithResult } from "@webagent/core/promise"
import { type Caller, createOf, inputOf, ownWaitOf, resultOf, waiting, waitOf } from "@webagent/core/promise/Caller"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as V3 from "../Sessions.ts"
import type { SessionCreate } from "./Session.ts"
import type { CreateAndWaitOptions, Sessions } from "./Sessions.ts"

/** The operations on sessions, as promises. */
export const make = ({ call, iterate }: Caller<V3.Sessions>): Sessions => {
  const sessions = <A, E>(f: (sessions: V3.Sessions["Service"]) => Effect.Effect<A, E>) =>
    Effect.flatMap(V3.Sessions, f)

  return {
    create: (input, options) =>
      call(() => {
        const [sent, chosen] = [inputOf(input), createOf(options)]
        return sessions((sessions) => sessions.create(sent, chosen))
      }, options),
    get: (id, options) => call(() => sessions((sessions) => sessions.get(id)), options),
    untilTerminal: ((id: string, options?: WaitOptions & Partial<WithResult<unknown>>) =>
      call(
        () => sessions((sessions) => sessions.untilTerminal(id, resultOf(options))),
        options,
        waiting
      )) as Sessions["untilTerminal"],
    createAndWait: ((input: SessionCreate, options?: CreateAndWaitOptions) =>
      call(
        () => {
          const [sent, chosen] = [inputOf(input), { ...ownWaitOf(options), ...createOf(options) }]
          return sessions((sessions) => sessions.createAndWait(sent, chosen))
        },
        options,
        waiting
      )) as Sessions["createAndWait"],
    watch: (id, options) =>
      iterate(() => Stream.unwrap(Effect.map(V3.Sessions, (sessions) => sessions.watch(id, waitOf(options)))), options)
  }
}
