import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { stopAction } from "@webagent/contract/Wire"
import type { ControlClient } from "@webagent/control"
import { ClientConfig, IdempotencyKey, Ledger, RetryPolicy, Transport } from "@webagent/core"
import { PollBudget, PollSchedule } from "@webagent/polling"
import { Control, type Need, type ScenarioContext, type TargetInfo } from "@webagent/scenario"
import * as ScenarioContexts from "@webagent/scenario/ScenarioContexts"
import { type Tasks, V2 } from "@webagent/v2"
import { type Sessions, V3 } from "@webagent/v3"
import { type Browsers, type Runs, V4 } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"
import { WebSocket } from "ws"
import type { ServiceVersion } from "@webagent/report/Revision"
import { usage } from "@webagent/cli/UserError"
import * as Cancellation from "./Cancellation.ts"
import * as TrialLog from "../observe/TrialLog.ts"
import { markOf } from "../observe/JournalRows.ts"
import { redactor } from "../observe/KeyRedaction.ts"
import * as Capabilities from "./Capabilities.ts"
import * as ObservedClient from "../observe/ObservedClient.ts"
import * as TrialLedger from "../observe/TrialLedger.ts"
import type { Introspection } from "./Introspection.ts"
import { Recording } from "./Recording.ts"

/** Looks once whether the service responds: why it does not, or undefined. */
export type Probe = Effect.Effect<string | undefined>

/** A service that suites run against, connected. */
export interface Target {
  readonly info: TargetInfo
  /** True if its agent and browsers are simulated. */
  readonly simulated: boolean
  readonly contextOf: (seed: number) => ScenarioContext
  /** The cadence of every wait, unless a scenario chooses its own. */
  readonly pollSchedule: PollSchedule.PollSchedule
  /** The version that it reports; absent if it reports none, and of a service in this process. */
  readonly version?: ServiceVersion
  /** Looks whether something answers there; absent where scenarios may take the service away themselves. */
  readonly probe?: Probe
  /** The reason why it doesn't support a need; undefined if it does. */
  readonly lacks: (need: Need) => string | undefined
  /** Ends a run or a session, by the service's own operation or through its control API. */
  readonly cancel: Cancellation.Cancel
  /** Stops a browser; answers whether it worked. */
  readonly stopBrowser: (id: string) => Effect.Effect<boolean>
  /** Text without the key. */
  readonly redact: (text: string) => string
  readonly apiKey: Redacted.Redacted
  /** Resources that its typed clients created and have not seen finish. */
  readonly ledger: TrialLedger.TrialLedger
  /** Introspection of one of our servers; undefined for any other. */
  readonly introspection: Introspection | undefined
  /** The mark of a trial's rows in its journal. */
  readonly markOf: (log: TrialLog.TrialLog) => string
  /** Makes the simulated service of this process ready for a person; absent of any other. */
  readonly settle?: Connection["settle"]
  /** Runs an effect with clients of their own that retry as told, and whose calls the ledger notes. */
  readonly withClients: <A, E>(
    policy: RetryPolicy.RetryPolicy,
    effect: Effect.Effect<A, E, Browsers | Runs | Sessions | Tasks | Transport>
  ) => Effect.Effect<A, E>
}

/** Everything about a target except its clients. */
export interface Connection {
  readonly info: TargetInfo
  readonly apiKey: Redacted.Redacted
  readonly simulated: boolean
  /** The version that it reports. */
  readonly version?: ServiceVersion
  /** Looks whether something answers there; absent of a service in this process. */
  readonly probe?: Probe
  /** Its control API, where that is open to us, and what is read of the server through it. */
  readonly control?: ControlClient.ControlClient
  readonly introspection?: Introspection
  /**
   * Makes the service ready for a person after the suites: stops what they left open, forgets the findings about them, and
   * behaves as the profile `realistic`. New ids come from the seed.
   */
  readonly settle?: (seed: number) => Effect.Effect<void>
}

/** The address of a service, without the path of a version. */
export const addressOf = (url: string): string => {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname.replace(/(?:\/api\/v\d+)?\/*$/u, "")}`
}

// the ws package says with which status an upgrade was refused, Node's own WebSocket does not
const webSockets = Layer.succeed(Socket.WebSocketConstructor, (url, options) =>
  options === undefined || typeof options === "string" || Array.isArray(options)
    ? new WebSocket(url, options)
    : new WebSocket(url, options.protocols, { headers: options.headers })
)

/** A simulated turn takes milliseconds: waiting two seconds before the first poll would be all that a run does. */
const scheduleOf = (simulated: boolean) => (simulated ? PollSchedule.every("10 millis") : PollSchedule.standard)

/**
 * Builds clients that don't name their unfinished runs when the command is interrupted, because runs of a simulated
 * service stop with the service and are free.
 */
const buildQuietly = <A, E, R>(layer: Layer.Layer<A, E, R>) =>
  Effect.flatMap(
    Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void)),
    (scope) => Layer.buildWithScope(layer, scope)
  )

/** Builds the clients of every version over one observed HTTP client; they live as long as the scope. */
export const connect = Effect.fnUntraced(
  function* ({ apiKey, control, info, introspection, probe, settle, simulated, version }: Connection) {
    const run = (yield* IdempotencyKey.random).slice(0, 8)
    const nameOf = (log: TrialLog.TrialLog) => markOf(run, log.serial)
    const record = yield* Recording
    const http = Layer.effect(
      HttpClient.HttpClient,
      Effect.map(
        Effect.flatMap(HttpClient.HttpClient, (client) => record(client, info)),
        (client) =>
          ObservedClient.make(client, info.baseUrls, introspection === undefined ? undefined : nameOf, (entries) =>
            Effect.ignore(Effect.forEach(entries, ledger.write, { discard: true }))
          )
      )
    ).pipe(Layer.provide(NodeHttpClient.layerUndici))
    const ledger = yield* TrialLedger.make
    const config = ClientConfig.layer({
      baseUrl: info.address,
      baseUrls: info.baseUrls,
      apiKey,
      apiKeyHeader: info.apiKeyHeader
    })
    const clients = Layer.mergeAll(V2.layerServices, V3.layerServices, V4.layerServices).pipe(
      Layer.provide(Transport.layer),
      Layer.provideMerge(
        Layer.mergeAll(http, webSockets, config, simulated ? PollBudget.layerUnlimited : PollBudget.layer())
      )
    )
    const context = yield* (simulated ? buildQuietly(clients) : Layer.build(clients)).pipe(
      Effect.provideService(Ledger.Current, ledger)
    )
    const driver = control === undefined ? Control.none : yield* Control.make(control)
    const contextOf = yield* Effect.provideContext(ScenarioContexts.make(info, apiKey, driver), context)
    const { request } = contextOf(0)
    const send: Cancellation.Send = (version, method, path, body) =>
      request(version, body === undefined ? { method, path } : { method, path, body }).pipe(
        // the requests of the harness are none of a trial's
        Effect.provideService(TrialLog.TrialLog, TrialLog.make()),
        Effect.orElseSucceed(() => ({ status: 0, body: undefined }))
      )
    return {
      info,
      simulated,
      ...(version === undefined ? {} : { version }),
      ...(settle === undefined ? {} : { settle }),
      contextOf,
      ...(probe === undefined || control !== undefined ? {} : { probe }),
      pollSchedule: scheduleOf(simulated),
      lacks: Capabilities.lacking(info.capabilities),
      cancel: Cancellation.orThrough(introspection?.end, Cancellation.published(send)),
      stopBrowser: (id) =>
        request("v4", {
          method: "PATCH",
          path: `/browsers/${encodeURIComponent(id)}`,
          body: { action: stopAction }
        }).pipe(
          Effect.map(({ status }) => status >= 200 && status < 300),
          Effect.orElseSucceed(() => false)
        ),
      redact: redactor(Redacted.value(apiKey)),
      apiKey,
      ledger,
      introspection,
      markOf: nameOf,
      withClients: (policy, effect) =>
        effect.pipe(
          Effect.provide(
            Layer.fresh(
              Layer.mergeAll(V2.layerServices, V3.layerServices, V4.layerServices).pipe(
                Layer.provideMerge(Transport.layer)
              )
            )
          ),
          Effect.provideService(RetryPolicy.Current, policy),
          Effect.provideService(Ledger.Current, ledger),
          Effect.provideContext(context)
        )
    } satisfies Target
  },
  Effect.catchTag("ClientConfigError", (error) => Effect.fail(usage(error.message)))
)
