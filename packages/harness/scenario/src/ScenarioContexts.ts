import { writeTaskScript } from "@webagent/control"
import { Sessions as V2Sessions } from "@webagent/v2"
import { Sessions as V3Sessions } from "@webagent/v3"
import { Browsers, Runs, Sessions as V4Sessions } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as Redacted from "effect/Redacted"
import * as Socket from "effect/socket/Socket"
import * as CdpConnection from "./CdpConnection.ts"
import * as Control from "./Control.ts"
import * as RawRequest from "./RawRequest.ts"
import type { ScenarioContext } from "./ScenarioContext.ts"
import type { TargetInfo } from "./TargetInfo.ts"

/**
 * Makes the contexts of a target's scenarios over one set of clients. Needs the services of every version, the
 * HttpClient for raw requests, and a WebSocketConstructor for CDP.
 *
 * @param target - Facts about the target.
 * @param apiKey - The key that the target accepts.
 * @param control - Controls a simulated server; by default, the target has no control API.
 * @returns A function that takes a seed and returns the context of a trial.
 * @example
 * ```ts
 * import type { Scenario, TargetInfo } from "@webagent/scenario"
 * import { make } from "@webagent/scenario/ScenarioContexts"
 * import * as Effect from "effect/Effect"
 * import * as Redacted from "effect/Redacted"
 *
 * export const runOnce = (scenario: Scenario, target: TargetInfo, apiKey: string) =>
 *   Effect.flatMap(make(target, Redacted.make(apiKey)), (contextOf) => scenario.run(contextOf(1)))
 * ```
 */
export const make = Effect.fnUntraced(function* (
  target: TargetInfo,
  apiKey: Redacted.Redacted,
  control: Control.Control = Control.none
) {
  const client = yield* HttpClient.HttpClient
  const webSocket = yield* Socket.WebSocketConstructor
  const clients = {
    v2: { sessions: yield* V2Sessions },
    v3: { sessions: yield* V3Sessions },
    v4: { runs: yield* Runs, sessions: yield* V4Sessions, browsers: yield* Browsers }
  }
  const request = RawRequest.make(client, target, apiKey)
  const cdp = (url: string) =>
    Effect.provideService(CdpConnection.open(client, url), Socket.WebSocketConstructor, webSocket)
  return (seed: number): ScenarioContext => ({
    ...clients,
    request,
    cdp,
    simulate: writeTaskScript,
    control,
    target,
    apiKey,
    seed
  })
})
