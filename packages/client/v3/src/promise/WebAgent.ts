import type { WebAgentOptions } from "@webagent/core/promise"
import * as Caller from "@webagent/core/promise/Caller"
import { Client } from "@webagent/core/promise/Client"
import { Polling } from "@webagent/polling"
import * as Layer from "effect/Layer"
import * as V3 from "../Sessions.ts"
import type { Sessions } from "./Sessions.ts"

/**
 * API v3 in promises. What the constructor is not told comes from the environment, WEBAGENT_API_KEY and
 * WEBAGENT_BASE_URL first of all; it throws a ClientConfigError that says what is missing. Connections are made by the
 * first call, and nothing keeps a process alive after the last one.
 *
 * @example
 * ```ts
 * import { WebAgent } from "@webagent/v3/promise"
 *
 * export const program = async () => {
 *   await using agent = new WebAgent()
 *   const session = await agent.sessions.createAndWait({ task: "Find the cheapest direct flight from Oslo to Rome" })
 *   return session.result
 * }
 * ```
 */
export class WebAgent extends Client {
  readonly sessions: Sessions

  constructor(options: WebAgentOptions = {}) {
    const caller = Caller.make((polling) => Layer.provide(V3.Sessions.layer, Polling.layer(polling)), options)
    super(caller, "v3")
    this.sessions = Caller.methodsOf<Sessions>()(V3.Sessions, caller, {
      create: Caller.creating(1),
      get: Caller.reading,
      untilTerminal: Caller.waitingFor,
      createAndWait: Caller.creatingAndWaiting(1),
      watch: Caller.watching
    })
  }
}
