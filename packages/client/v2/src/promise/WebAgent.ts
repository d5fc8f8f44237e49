/// <reference lib="esnext.disposable" preserve="true" />
import type { Answer, RequestOptions, WebAgentOptions } from "@webagent/core/promise"
import * as Caller from "@webagent/core/promise/Caller"
import { Polling } from "@webagent/polling"
import * as Layer from "effect/Layer"
import * as V2 from "../Sessions.ts"
import * as SessionCalls from "./SessionCalls.ts"
import type { Sessions } from "./Sessions.ts"

/**
 * API v2 in promises. What the constructor is not told comes from the environment, WEBAGENT_API_KEY and
 * WEBAGENT_BASE_URL first of all; it throws a ClientConfigError that says what is missing. Connections are made by the
 * first call, and nothing keeps a process alive after the last one.
 *
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
export class WebAgent {
  readonly sessions: Sessions
  /**
   * Sends a request that this package does not list, to `path` of the version, and gives the answer's JSON. Key,
   * redirects, timeouts, errors and redaction are as for every call. A GET is tried again; any other method is sent once.
   */
  readonly request: (
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    options?: RequestOptions
  ) => Answer<unknown>
  readonly #close: () => Promise<void>
  readonly #baseUrl: string

  constructor(options: WebAgentOptions = {}) {
    const caller = Caller.make((polling) => Layer.provide(V2.Sessions.layer, Polling.layer(polling)), options)
    this.sessions = SessionCalls.make(caller)
    this.#close = caller.close
    this.#baseUrl = caller.baseUrls.v2
    this.request = caller.request("v2")
  }

  /** Ends what is at work and refuses further calls. */
  close(): Promise<void> {
    return this.#close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close()
  }

  /** The address that it calls; never the key. */
  toJSON(): { readonly baseUrl: string } {
    return { baseUrl: this.#baseUrl }
  }
}
