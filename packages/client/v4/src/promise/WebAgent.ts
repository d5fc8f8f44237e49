/// <reference lib="esnext.disposable" preserve="true" />
import type { Answer, RequestOptions, WebAgentOptions } from "@webagent/core/promise"
import * as Caller from "@webagent/core/promise/Caller"
import { Polling } from "@webagent/polling"
import * as Layer from "effect/Layer"
import * as V4Runs from "../Runs.ts"
import * as V4Sessions from "../Sessions.ts"
import * as BrowserCalls from "./BrowserCalls.ts"
import type { Browsers } from "./Browsers.ts"
import * as RunCalls from "./RunCalls.ts"
import type { Runs } from "./Runs.ts"
import * as SessionCalls from "./SessionCalls.ts"
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
export class WebAgent {
  readonly runs: Runs
  readonly sessions: Sessions
  readonly browsers: Browsers
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
    const caller = Caller.make((polling) => Layer.provide(layer, Polling.layer(polling)), options)
    this.runs = RunCalls.make(caller)
    this.sessions = SessionCalls.make(caller)
    this.browsers = BrowserCalls.make(caller)
    this.#close = caller.close
    this.#baseUrl = caller.baseUrls.v4
    this.request = caller.request("v4")
  }

  /** Ends what is at work, stops the browsers that were created here and not stopped, and refuses further calls. */
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
