import type { ApiVersion } from "@webagent/contract/Wire"
import type { TaskScript } from "@webagent/control"
import type { Sessions as V2Sessions } from "@webagent/v2"
import type { Sessions as V3Sessions } from "@webagent/v3"
import type { Browsers, Runs, Sessions as V4Sessions } from "@webagent/v4"
import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as HttpClientError from "effect/http/HttpClientError"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { CdpConnection, CdpError } from "./CdpConnection.ts"
import type { Control } from "./Control.ts"
import type { RawAnswer, RawRequest } from "./RawRequest.ts"
import type { TargetInfo } from "./TargetInfo.ts"

/** The context of a scenario: the clients of every version, raw requests, and facts about its target. */
export interface ScenarioContext {
  readonly v2: { readonly sessions: Context.Service.Shape<typeof V2Sessions> }
  readonly v3: { readonly sessions: Context.Service.Shape<typeof V3Sessions> }
  readonly v4: {
    readonly runs: Context.Service.Shape<typeof Runs>
    readonly sessions: Context.Service.Shape<typeof V4Sessions>
    readonly browsers: Context.Service.Shape<typeof Browsers>
  }
  /**
   * Sends a request that a typed client would refuse to send. Any status is a response.
   *
   * @param version - The API version whose address is used.
   * @param request - The method, the path below that address, and a body, headers or key of your own.
   * @returns The response with its status, headers and body.
   * @throws `HttpClientError` if no response comes.
   * @example
   * ```ts
   * import { check, scenario, Suite } from "@webagent/scenario"
   *
   * export default Suite.make("keys", [
   *   scenario("refuses a request without a key", function* ({ request }) {
   *     const response = yield* request("v4", { method: "GET", path: "/runs", apiKey: null })
   *     yield* check.status(response, 401)
   *   })
   * ])
   * ```
   */
  readonly request: (
    version: ApiVersion,
    request: RawRequest
  ) => Effect.Effect<RawAnswer, HttpClientError.HttpClientError>
  /**
   * Connects to a browser over the Chrome DevTools Protocol. The connection closes with the scenario or the nearest
   * scope. Each command may take 10 seconds.
   *
   * @param url - The `cdpUrl` of the browser.
   * @returns The connection.
   * @throws `CdpError` if the browser can't be reached.
   * @example
   * ```ts
   * import { scenario, Suite } from "@webagent/scenario"
   *
   * export default Suite.make("browsers", [
   *   scenario("opens a page", function* ({ cdp, v4 }) {
   *     const { cdpUrl } = yield* v4.browsers.acquire()
   *     const { send } = yield* cdp(cdpUrl)
   *     yield* send("Target.createTarget", { url: "https://shop.example.com" })
   *   })
   * ])
   * ```
   */
  readonly cdp: (url: string) => Effect.Effect<CdpConnection, CdpError, Scope.Scope>
  /**
   * Adds instructions for a simulated agent to a task. A real agent reads them as part of the task.
   *
   * @param task - The task.
   * @param script - The result, duration, cost or failure of the simulated run.
   * @returns The task with the instructions in brackets.
   * @example
   * ```ts
   * import { check, scenario, Suite } from "@webagent/scenario"
   *
   * export default Suite.make("shop", [
   *   scenario("has the price", function* ({ simulate, v4 }) {
   *     const run = yield* v4.runs.createAndWait({ task: simulate("Find a red mug", { output: { price: 4.2 } }) })
   *     yield* check.deepEqual(run.result, { price: 4.2 })
   *   })
   * ])
   * ```
   */
  readonly simulate: (task: string, script: TaskScript) => string
  /** Drives and reads a simulated server; a scenario that uses it says `needs: ["control-api"]`. */
  readonly control: Control
  readonly target: TargetInfo
  /** The key that the target accepts, for scenarios about keys. */
  readonly apiKey: Redacted.Redacted
  /** Differs by run seed, suite, scenario and trial, and is the same when they are; Effect's Random draws from it. */
  readonly seed: number
}
