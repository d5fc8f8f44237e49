import { type Agent, BrowserPool } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SimulatedAgent from "../src/agent/SimulatedAgent.ts"
import { Behavior, type BehaviorOptions } from "../src/behavior/Behavior.ts"
import * as SimulatedBrowserPool from "../src/browser/SimulatedBrowserPool.ts"

/** A simulated agent with a behavior of its own. */
export const agent = (options: BehaviorOptions = {}): Layer.Layer<Agent> =>
  Layer.provide(SimulatedAgent.layer, Behavior.layer(options))

/** Simulated browsers that start at once. */
export const browsers: Layer.Layer<BrowserPool> = Layer.succeed(BrowserPool, {
  launch: ({ id }) => Effect.sync(() => SimulatedBrowserPool.start(id))
})
