import { type Agent, BrowserPool } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SimulatedAgent from "../src/agent/SimulatedAgent.ts"
import { Behaviour, type BehaviourOptions } from "../src/behaviour/Behaviour.ts"
import * as SimulatedBrowserPool from "../src/browser/SimulatedBrowserPool.ts"

/** A simulated agent with a behaviour of its own. */
export const agent = (options: BehaviourOptions = {}): Layer.Layer<Agent> =>
  Layer.provide(SimulatedAgent.layer, Behaviour.layer(options))

/** Simulated browsers that start at once. */
export const browsers: Layer.Layer<BrowserPool> = Layer.succeed(BrowserPool, {
  launch: ({ id }) => Effect.sync(() => SimulatedBrowserPool.start(id))
})
