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
 * Makes the contexts of a target's scenarios, one a seed, over one set of clients. Needs the services of every
 * version, the HttpClient for raw requests, and a WebSocketConstructor for CDP.
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
