import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import type { Node } from "../src/domain/Node.ts"
import type { Turn, TurnEvent } from "../src/domain/Turn.ts"
import { Engine } from "../src/Engine.ts"
import * as MemoryStore from "../src/MemoryStore.ts"
import type { Agent } from "../src/ports/Agent.ts"
import { BrowserPool, type LaunchedBrowser } from "../src/ports/BrowserPool.ts"
import { IdSource } from "../src/ports/IdSource.ts"
import { layerStreamingAgent } from "../src/StreamingAgent.ts"

/** What a node tells of itself that has nothing to tell. */
export const node = (id: string): Node => ({
  id,
  name: id,
  address: null,
  room: 0,
  draining: false,
  startedAt_ms: 0
})

/** Ids that are counted. */
export const ids: Layer.Layer<IdSource> = Layer.sync(IdSource, () => {
  let count = 0
  return {
    next: (kind) => Effect.sync(() => `${kind}-${++count}`)
  }
})

/** A browser that says nothing. */
export const browser: LaunchedBrowser = {
  connect: Effect.succeed({
    send: () => true,
    receive: constVoid,
    pause: constVoid,
    resume: constVoid,
    ended: Effect.never
  }),
  stop: Effect.void
}

/** Browsers that are there at once. */
export const browsers: Layer.Layer<BrowserPool> = Layer.succeed(BrowserPool, { launch: () => Effect.succeed(browser) })

const ending = ({ task }: Turn): TurnEvent =>
  task.includes("fails") ? { _tag: "Failed", error: "it failed" } : { _tag: "Completed", report: {} }

/** Sleeps until a moment, in milliseconds since 1970. */
const sleepUntil = (at_ms: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now_ms) => Effect.sleep(Math.max(0, at_ms - now_ms)))

/** An agent whose turns run from 1 s to 10 s; `fails` in a task fails it, `stops` stops its session with it. */
export const agent: Layer.Layer<Agent> = layerStreamingAgent({
  model: "test",
  version: "test-1",
  perform: (turn) => {
    const settings = turn.task.includes("stops") ? { keepAlive: false } : {}
    const started_ms = turn.startedAt_ms ?? (turn.dispatchedAt_ms ?? 0) + 1000
    const begin = Effect.as(sleepUntil(started_ms), { _tag: "Started", settings } satisfies TurnEvent)
    return Stream.concat(
      turn.status === "running" ? Stream.empty : Stream.fromEffect(begin),
      Stream.fromEffect(Effect.as(sleepUntil(started_ms + 9000), ending(turn)))
    )
  }
})

/** An engine over all of these, in memory. */
export const engine: Layer.Layer<Engine> = Engine.layer.pipe(
  Layer.provide([agent, browsers, Layer.fresh(MemoryStore.layer), ids])
)
