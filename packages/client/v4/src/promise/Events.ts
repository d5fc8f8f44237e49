import type { Caller } from "@webagent/core/promise/Caller"
import { connectionOf } from "@webagent/core/promise/Client"
import type { Transport } from "@webagent/core"
import type { WaitOptions } from "@webagent/core/promise"
import { waitOf } from "@webagent/core/promise/Methods"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as V4 from "../Events.ts"
import type { WebAgent } from "./WebAgent.ts"

/**
 * An event of a run. The type is `run.` and the run's new status, that a step began, succeeded or failed, or another one
 * that the service sends. `reset` means that events before the next one are no longer stored.
 */
export interface WatchedEvent {
  readonly runId: string
  /** The position of the event. Pass it as `after` to continue. Undefined if the service has no events. */
  readonly id: number | undefined
  readonly type: V4.WatchedEvent["type"]
  /** When it happened, as ISO 8601 text. */
  readonly ts?: string | undefined
  /** The `status` of the run or the step, and the step's number, from 1. */
  readonly data?: { readonly status?: string; readonly step?: number; readonly [field: string]: unknown } | undefined
}

/** Options of watching the events of a run. */
export interface WatchOptions extends WaitOptions {
  /** Begins after the event with this `id`; by default, with the run's first event. */
  readonly after?: number | undefined
}

/**
 * Iterates over the events of a run, from its first one or from the one after `after`, and ends with its final status.
 * If the connection is cut, it continues at its position, so no event is lost or repeated.
 *
 * If the service has no events, the status is polled instead, and each new status is an event without an `id`.
 *
 * @param agent - The client that reads the events.
 * @param id - The id of the run.
 * @param options - `after` is the `id` of the last event that you have. `timeout` limits the wait: 30 minutes by default.
 * @returns The events in their order. Breaking out of the loop stops the requests.
 * @throws `RunNotFoundError` if the service has no run with this id.
 * @throws `WaitTimeoutError` if the run doesn't finish in time.
 * @example
 * ```ts
 * import type { WebAgent } from "@webagent/v4/promise"
 * import { watch } from "@webagent/v4/promise/events"
 *
 * export const follow = async (agent: WebAgent, id: string) => {
 *   for await (const { data, type } of watch(agent, id)) console.log(type, data?.step)
 * }
 * ```
 */
export const watch = (agent: WebAgent, id: string, options?: WatchOptions): AsyncIterable<WatchedEvent> =>
  (connectionOf(agent) as Caller<Transport>).iterate(
    () =>
      Stream.unwrap(
        Effect.map(Layer.build(V4.Events.layer), (context) =>
          Context.get(context, V4.Events).watch(id, { ...waitOf(options), after: options?.after ?? undefined })
        )
      ),
    options
  )

/**
 * Lets all waits of a client follow events, so that they notice the end of a run at once and send fewer requests. Each
 * waited run takes a connection, up to 50 of them; further waits poll, as all do if the service has no events.
 *
 * @example
 * ```ts
 * import { WebAgent } from "@webagent/v4/promise"
 * import { events } from "@webagent/v4/promise/events"
 *
 * export const agent = new WebAgent({ events })
 * ```
 */
export const events: { readonly layer: unknown } = { layer: V4.layerWaits }
