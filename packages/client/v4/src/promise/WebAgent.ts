import type { WebAgentOptions } from "@webagent/core/promise"
import * as Caller from "@webagent/core/promise/Caller"
import { Client } from "@webagent/core/promise/Client"
import { Polling } from "@webagent/polling"
import * as Layer from "effect/Layer"
import * as V4Runs from "../Runs.ts"
import * as V4Sessions from "../Sessions.ts"
import * as BrowserCalls from "./BrowserCalls.ts"
import type { Browsers } from "./Browsers.ts"
import * as RunCalls from "./RunCalls.ts"
import type { Runs } from "./Runs.ts"
import type { Sessions } from "./Sessions.ts"

const layer = Layer.mergeAll(BrowserCalls.OpenBrowsers.layer, V4Runs.Runs.layer, V4Sessions.Sessions.layer)

/**
 * API v4 in promises. What the constructor is not told comes from the environment, WEBAGENT_API_KEY and
 * WEBAGENT_BASE_URL first of all; it throws a ClientConfigError that says what is missing. Connections are made by the
 * first call, and nothing keeps a process alive after the last one.
 *
 * @example
 * ```ts
 * import { WebAgent } from "@webagent/v4/promise"
 *
 * export const program = async () => {
 *   await using agent = new WebAgent()
 *   const run = await agent.runs.createAndWait({ task: "Find the cheapest direct flight from Oslo to Rome in May" })
 *   return run.result
 * }
 * ```
 */
export class WebAgent extends Client {
  readonly runs: Runs
  readonly sessions: Sessions
  readonly browsers: Browsers

  constructor(options: WebAgentOptions = {}) {
    const caller = Caller.make((polling) => Layer.provide(layer, Polling.layer(polling)), options)
    super(caller, "v4")
    this.runs = RunCalls.make(caller)
    this.sessions = Caller.methodsOf<Sessions>()(V4Sessions.Sessions, caller, {
      queue: Caller.creating(2),
      followUp: Caller.creating(2),
      interrupt: Caller.creating(2),
      followUpAndWait: Caller.creatingAndWaiting(2)
    })
    this.browsers = BrowserCalls.make(caller)
  }
}
