import { it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { layerStreamingAgent, type StreamingAgent } from "../src/StreamingAgent.ts"
import type { TurnEvent } from "../src/domain/Turn.ts"
import { Engine } from "../src/Engine.ts"
import * as LocalWork from "../src/LocalWork.ts"
import * as MemoryStore from "../src/MemoryStore.ts"
import type { BrowserPool } from "../src/ports/BrowserPool.ts"
import { NodeId } from "../src/ports/NodeId.ts"
import { Store } from "../src/ports/Store.ts"
import type { Work } from "../src/ports/Work.ts"
import * as ports from "./ports.ts"

export const started: TurnEvent = { _tag: "Started" }
export const completed: TurnEvent = { _tag: "Completed", report: { output: "done" } }

/** What an engine is made of, besides its store. */
export interface Parts {
  readonly perform?: StreamingAgent["perform"]
  readonly agent?: Partial<StreamingAgent>
  readonly browsers?: Layer.Layer<BrowserPool>
  readonly work?: Layer.Layer<Work, never, Store>
  /** Gets each line of its log. */
  readonly said?: Array<string>
}

/** A process with an engine over the store of the test. It is killed by never being closed: nothing hears of it. */
export const start = Effect.fnUntraced(function* (node: string, parts: Parts = {}) {
  const { agent, browsers = ports.browsers, perform, said = [], work = LocalWork.layer } = parts
  const logger = Logger.make(({ message }) => void said.push(String(message)))
  const scope = yield* Scope.make()
  const performing = layerStreamingAgent({
    model: "m",
    version: "1",
    perform: perform ?? (() => Stream.never),
    ...agent
  })
  const layer = Engine.layerOf.pipe(
    Layer.provide(work),
    Layer.provide([performing, browsers, ports.ids, Layer.succeed(NodeId, node), Logger.layer([logger])]),
    Layer.fresh
  )
  const engine = Context.get(yield* Layer.buildWithScope(layer, scope), Engine)
  return { engine, close: Scope.close(scope, Exit.void) }
})

export const request = { task: "one", modelParams: null, thinkingLevel: null }

export const standing = Effect.fnUntraced(function* (sessionId: string) {
  const turns = yield* Store.use((store) => store.turnsOf(sessionId))
  return turns.map(({ cost, failure, status, task }) =>
    [task, status, failure, cost].filter((part) => part !== null).join(" ")
  )
})

/** A store in memory whose reads engines avoid as if they took time. */
const store = Layer.effect(
  Store,
  Effect.map(Store, (memory) => ({ ...memory, isInMemory: false }))
).pipe(Layer.provide(MemoryStore.layer))

/** A test over a store of its own, in virtual time. */
export const test = (title: string, body: Effect.Effect<unknown, unknown, Store | Scope.Scope>) =>
  it.effect(title, () => Effect.asVoid(body).pipe(Effect.scoped, Effect.provide(store, { local: true })))
