import type { Browsers, WebAgentOptions } from "@webagent/core/promise"
import * as BrowserCalls from "@webagent/core/promise/BrowserCalls"
import * as Caller from "@webagent/core/promise/Caller"
import { Client } from "@webagent/core/promise/Client"
import * as Methods from "@webagent/core/promise/Methods"
import { Polling } from "@webagent/polling"
import * as Layer from "effect/Layer"
import * as V4Browsers from "../Browsers.ts"
import * as V4Runs from "../Runs.ts"
import * as V4Sessions from "../Sessions.ts"
import * as RunCalls from "./RunCalls.ts"
import type { Runs } from "./Runs.ts"
import type { Sessions } from "./Sessions.ts"

const layer = Layer.mergeAll(V4Browsers.Browsers.layer, V4Runs.Runs.layer, V4Sessions.Sessions.layer)

/**
 * A client of API v4 that returns promises.
 *
 * Create one client per process and share it, so that its connections, poll budget and retry limits apply to the whole
 * process. Missing options come from the environment: `WEBAGENT_API_KEY`, `WEBAGENT_BASE_URL` and others. Connections
 * are opened by the first call, and don't keep the process alive after the last one. Closing a WebAgent also stops the browsers that it created and that are still running.
 *
 * @param options - The address, the key, and limits for time, retries and polling.
 * @throws `ClientConfigError` if an option is invalid, or the address or the key is missing.
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
    const caller = Caller.make((polling) => Layer.provideMerge(layer, Polling.layer(polling)), options)
    super(caller, "v4")
    this.runs = RunCalls.make(caller)
    this.sessions = Methods.methodsOf<Sessions>()(V4Sessions.Sessions, caller, {
      list: Methods.listing,
      listPage: Methods.readingPage,
      get: Methods.reading,
      purge: Methods.reading,
      messages: Methods.reading,
      message: Methods.readingBy(2),
      removeMessage: Methods.readingBy(2),
      queue: Methods.creating(2),
      followUp: Methods.creating(2),
      interrupt: Methods.creating(2),
      followUpAndWait: Methods.creatingAndWaiting(2)
    })
    this.browsers = BrowserCalls.make(V4Browsers.Browsers, caller)
  }
}
