import { CallOptions, parseJson, type Transport } from "@webagent/core"
import { Elapsed } from "@webagent/polling"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { ReadStatus } from "./ReadStatus.ts"

/** The most requests that a client holds: a browser has six connections to a service, and other calls need some. */
const mostHeld = 4

/** The fields of a page of events that tell a reader's next position. */
interface Page {
  readonly events?: ReadonlyArray<{ readonly id: number }>
  readonly nextAfter?: number
}

/**
 * Makes reads of a run's status that wait until it changes, for `watch`. The service holds a request until the run has a
 * new event, and each event is a reason to read the status. A service without events is polled.
 *
 * `@webagent/v4/events` reads the events themselves, at 1 kB more.
 */
export const make = ({ exchange }: Transport["Service"]): ReadStatus => {
  /** The last event that each wait has. */
  const positions = new WeakMap<object, number>()
  let isUnavailable = false
  let held = 0

  const follow: ReadStatus = (id, polled, read) =>
    Effect.gen(function* () {
      const began_ms = yield* Elapsed.now_ms
      const wait_s = Math.min(20, Math.ceil((polled.deadline_ms() - began_ms) / 1000))
      const { latest } = polled
      if (isUnavailable || latest === undefined || wait_s < 1 || held >= mostHeld) return yield* read
      const after = positions.get(polled) ?? 0
      held++
      const exit = yield* exchange("v4", {
        method: "GET",
        url: `/runs/${encodeURIComponent(id)}/events?after=${after}`,
        headers: { prefer: `wait=${wait_s}` }
      }).pipe(CallOptions.provide({ timeout: "35 seconds" }), Effect.exit, Effect.ensuring(Effect.sync(() => held--)))
      const took_ms = (yield* Elapsed.now_ms) - began_ms
      const view = yield* read
      if (Exit.isFailure(exit)) return view
      const { events, nextAfter = events?.at(-1)?.id ?? after }: Page = Object(parseJson(exit.value.text()))
      positions.set(polled, nextAfter)
      // a service that responds at once without news doesn't hold requests
      if (nextAfter <= after && (!events || took_ms < 200)) isUnavailable = true
      return view.status === latest.status ? yield* follow(id, polled, read) : view
    })
  return follow
}
