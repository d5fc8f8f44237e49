import type { WebAgentOptions } from "@webagent/core/promise"
import * as Caller from "@webagent/core/promise/Caller"
import { Client } from "@webagent/core/promise/Client"
import * as Methods from "@webagent/core/promise/Methods"
import { Polling } from "@webagent/polling"
import * as Layer from "effect/Layer"
import * as V2 from "../Sessions.ts"
import * as V2Tasks from "../Tasks.ts"
import type { Sessions } from "./Sessions.ts"
import type { Tasks } from "./Tasks.ts"

const layer = Layer.merge(V2.Sessions.layer, V2Tasks.Tasks.layer)

/**
 * A client of API v2 that returns promises.
 *
 * Create one client per process and share it, so that its connections, poll budget and retry limits apply to the whole
 * process. Missing options come from the environment: `WEBAGENT_API_KEY`, `WEBAGENT_BASE_URL` and others. Connections
 * are opened by the first call, and don't keep the process alive after the last one.
 *
 * @param options - The address, the key, and limits for time, retries and polling.
 * @throws `ClientConfigError` if an option is invalid, or the address or the key is missing.
 * @example
 * ```ts
 * import { WebAgent } from "@webagent/v2/promise"
 *
 * export const program = async () => {
 *   await using agent = new WebAgent()
 *   const session = await agent.sessions.untilTerminal("6f9619ff-8b86-4d11-b42d-00c04fc964ff")
 *   return session.tasks.map((task) => task.output)
 * }
 * ```
 */
export class WebAgent extends Client {
  readonly sessions: Sessions
  readonly tasks: Tasks

  constructor(options: WebAgentOptions = {}) {
    const caller = Caller.make((polling) => Layer.provide(layer, Polling.layer(polling)), options)
    super(caller, "v2")
    this.sessions = Methods.methodsOf<Sessions>()(V2.Sessions, caller, {
      get: Methods.reading,
      untilTerminal: Methods.waitingFor,
      watch: Methods.watching,
      list: Methods.listing,
      listPage: Methods.readingPage,
      stop: Methods.reading,
      create: Methods.creating(1),
      delete: Methods.reading,
      purge: Methods.reading,
      getShare: Methods.reading,
      share: Methods.creating(1),
      unshare: Methods.reading
    })
    this.tasks = Methods.methodsOf<Tasks>()(V2Tasks.Tasks, caller, {
      create: Methods.creating(1),
      get: Methods.reading,
      status: Methods.reading,
      list: Methods.listing,
      listPage: Methods.readingPage,
      stop: Methods.reading
    })
  }
}
