import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { stopAction } from "@webagent/contract/Wire"
import { ClientConfig, Transport } from "@webagent/core"
import { PollBudget, PollSchedule } from "@webagent/polling"
import type { Need, ScenarioContext, TargetInfo } from "@webagent/scenario"
import * as ScenarioContexts from "@webagent/scenario/ScenarioContexts"
import { V2 } from "@webagent/v2"
import { V3 } from "@webagent/v3"
import { V4 } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Socket from "effect/socket/Socket"
import { WebSocket } from "ws"
import { usage } from "../Mistake.ts"
import { redactor } from "../trace/Secrets.ts"
import * as Capabilities from "./Capabilities.ts"
import * as ObservedClient from "./ObservedClient.ts"

/** A service that suites run against, connected. */
export interface Target {
  readonly info: TargetInfo
  /** Whether its agent and browsers are simulated. */
  readonly simulated: boolean
  readonly contextOf: (seed: number) => ScenarioContext
  /** The cadence of every wait, unless a scenario chooses its own. */
  readonly pollSchedule: PollSchedule.PollSchedule
  /** Why it cannot serve a need; undefined when it can. */
  readonly lacks: (need: Need) => string | undefined
  /** Stops a browser; answers whether it worked. */
  readonly stopBrowser: (id: string) => Effect.Effect<boolean>
  /** Text without the key. */
  readonly redact: (text: string) => string
}

/** What connecting takes: everything about a target but its clients. */
export interface Connection {
  readonly info: TargetInfo
  readonly apiKey: Redacted.Redacted
  readonly simulated: boolean
}

// the ws package says with which status an upgrade was refused, Node's own WebSocket does not
const webSockets = Layer.succeed(Socket.WebSocketConstructor, (url, options) =>
  options === undefined || typeof options === "string" || Array.isArray(options)
    ? new WebSocket(url, options)
    : new WebSocket(url, options.protocols, { headers: options.headers })
)

/** A simulated turn takes milliseconds: waiting two seconds before the first poll would be all that a run does. */
const scheduleOf = (simulated: boolean) => (simulated ? PollSchedule.every("10 millis") : PollSchedule.standard)

/** Builds the clients of every version over one observed HTTP client; they live as long as the scope. */
export const connect = Effect.fnUntraced(
  function* ({ apiKey, info, simulated }: Connection) {
    const http = Layer.effect(
      HttpClient.HttpClient,
      Effect.map(HttpClient.HttpClient, (client) => ObservedClient.make(client, info.baseUrls))
    ).pipe(Layer.provide(NodeHttpClient.layerUndici))
    const config = ClientConfig.layer({
      baseUrl: info.address,
      baseUrls: info.baseUrls,
      apiKey,
      apiKeyHeader: info.apiKeyHeader
    })
    const clients = Layer.mergeAll(V2.layer, V3.layer, V4.layer).pipe(
      Layer.provide(Transport.layer),
      Layer.provideMerge(
        Layer.mergeAll(http, webSockets, config, simulated ? PollBudget.layerUnlimited : PollBudget.layer())
      )
    )
    const context = yield* Layer.build(clients)
    const contextOf = yield* Effect.provideContext(ScenarioContexts.make(info, apiKey), context)
    const { request } = contextOf(0)
    return {
      info,
      simulated,
      contextOf,
      pollSchedule: scheduleOf(simulated),
      lacks: Capabilities.lacking(info.capabilities),
      stopBrowser: (id) =>
        request("v4", {
          method: "PATCH",
          path: `/browsers/${encodeURIComponent(id)}`,
          body: { action: stopAction }
        }).pipe(
          Effect.map(({ status }) => status >= 200 && status < 300),
          Effect.orElseSucceed(() => false)
        ),
      redact: redactor(Redacted.value(apiKey))
    } satisfies Target
  },
  Effect.catchTag("ClientConfigError", (error) => Effect.fail(usage(error.message)))
)
