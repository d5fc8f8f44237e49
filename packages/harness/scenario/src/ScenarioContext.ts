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
  /** Sends what a typed client would refuse to send; any status is an answer. */
  readonly request: (
    version: ApiVersion,
    request: RawRequest
  ) => Effect.Effect<RawAnswer, HttpClientError.HttpClientError>
  /** Connects to a browser's `cdpUrl`; the connection closes with the scenario or the nearest scope. */
  readonly cdp: (url: string) => Effect.Effect<CdpConnection, CdpError, Scope.Scope>
  /** Tells a simulated agent what to do with a task; an agent that is not simulated ignores the bracket. */
  readonly simulate: (task: string, script: TaskScript) => string
  /** Drives and reads a simulated server; a scenario that uses it says `needs: ["control-api"]`. */
  readonly control: Control
  readonly target: TargetInfo
  /** The key that the target accepts, for scenarios about keys. */
  readonly apiKey: Redacted.Redacted
  /** Differs by run seed, suite, scenario and trial, and is the same when they are; Effect's Random draws from it. */
  readonly seed: number
}
