import type { WebAgentOptions } from "@webagent/core/promise"
import * as Caller from "@webagent/core/promise/Caller"
import { Client } from "@webagent/core/promise/Client"
import * as Methods from "@webagent/core/promise/Methods"
import { Polling } from "@webagent/polling"
import * as Layer from "effect/Layer"
import * as V3 from "../Sessions.ts"
import type { Sessions } from "./Sessions.ts"

/**
 * A client of API v3 that returns promises.
 *
 * Create one client per process and share it, so that its connections, poll budget and retry limits apply to the whole
 * process. Missing options come from the environment: `WEBAGENT_API_KEY`, `WEBAGENT_BASE_URL` and others. Connections
 * are opened by the first call, and don't keep the process alive after the last one.
 *
 * @param options - The address, the key, and limits for time, retries and polling.
 * @throws `ClientConfigError` if an option is invalid, or the address or the key is missing.
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
    this.sessions = Methods.methodsOf<Sessions>()(V3.Sessions, caller, {
      create: Methods.creating(1),
      get: Methods.reading,
      list: Methods.listing,
      listPage: Methods.readingPage,
      stop: Methods.readingBy(2),
      delete: Methods.reading,
      messages: Methods.callingWith(1),
      untilTerminal: Methods.waitingFor,
      createAndWait: Methods.creatingAndWaiting(1),
      watch: Methods.watching
    })
  }
}
