import { check, scenario, type ScenarioOptions, Suite, type TargetInfo } from "@webagent/scenario"
import * as ScenarioContexts from "@webagent/scenario/ScenarioContexts"
import { ClientConfig, Transport } from "@webagent/core"
import { V2 } from "@webagent/v2"
import { V3 } from "@webagent/v3"
import { V4 } from "@webagent/v4"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Socket from "effect/socket/Socket"
import * as Plan from "../../src/run/Plan.ts"
import type { RunEvent } from "@webagent/report/RunEvent"
import type { RunHeader } from "@webagent/report/RunReport"
import * as Runner from "../../src/run/Runner.ts"
import type { RunnerOptions } from "../../src/run/RunnerOptions.ts"

export const info: TargetInfo = {
  name: "nowhere",
  address: "http://nowhere.test",
  baseUrls: { v2: "http://nowhere.test/api/v2", v3: "http://nowhere.test/api/v3", v4: "http://nowhere.test/api/v4" },
  apiKeyHeader: "x-service-api-key",
  capabilities: new Set()
}

/** Nothing is sent in these tests: every request waits for ever. */
const nowhere = Layer.mergeAll(
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make(() => Effect.never)
  ),
  Layer.succeed(Socket.WebSocketConstructor, () => {
    throw new Error("no sockets here")
  }),
  Layer.orDie(ClientConfig.layer({ baseUrl: info.address, apiKey: "wak_secret" }))
)

const contexts = ScenarioContexts.make(info, Redacted.make("wak_secret")).pipe(
  Effect.provide(
    Layer.mergeAll(V2.layerServices, V3.layerServices, V4.layerServices).pipe(
      Layer.provide(Transport.layer),
      Layer.provideMerge(nowhere)
    )
  )
)

/** A suite of scenarios that are one effect each, and check that it came to its end. */
export const suiteOf = (
  name: string,
  told: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown, Scope.Scope>, ScenarioOptions?]>
) =>
  Suite.make(
    name,
    told.map(([title, effect, options = {}]) =>
      scenario(title, options, function* () {
        yield* effect
        yield* check.isTrue(true, "it came to its end")
      })
    )
  )

export interface StageOptions {
  readonly concurrency?: number
  readonly timeout?: Duration.Input
  readonly seed?: number
  readonly lacks?: RunnerOptions["lacks"]
  readonly stopBrowser?: RunnerOptions["stopBrowser"]
  readonly inspect?: NonNullable<RunnerOptions["inspect"]>
  readonly finish?: NonNullable<RunnerOptions["finish"]>
  readonly trials?: number
  readonly only?: number
  readonly limits?: RunHeader["limits"]
  readonly learned?: NonNullable<RunnerOptions["learned"]>
  readonly probe?: NonNullable<RunnerOptions["probe"]>
  readonly suspects?: NonNullable<RunnerOptions["suspects"]>
  readonly done?: NonNullable<RunnerOptions["done"]>
  readonly worked_ms?: number
  readonly resumed?: NonNullable<RunHeader["resumed"]>
}

/** Runs suites as the program does, with the events kept. */
export const run = Effect.fnUntraced(function* (suites: ReadonlyArray<Suite.Suite>, options: StageOptions = {}) {
  const events: Array<RunEvent> = []
  const plan = Plan.make(suites, { tags: [] })
  const report = yield* Runner.run({
    header: {
      tool: { name: "webagent-harness", version: "0.0.0" },
      startedAt: "2026-11-21T09:12:44.000Z",
      seed: options.seed ?? 1,
      concurrency: options.concurrency ?? 8,
      trials: options.trials ?? null,
      limits: options.limits ?? {},
      ...(options.resumed === undefined ? {} : { resumed: options.resumed }),
      target: { name: info.name, address: info.address, simulated: true, capabilities: [] },
      suites: suites.map((suite) => ({ name: suite.name, scenarios: suite.scenarios.length }))
    },
    plan,
    contextOf: yield* contexts,
    lacks: options.lacks ?? (() => undefined),
    stopBrowser: options.stopBrowser ?? (() => Effect.succeed(true)),
    timeout: Duration.fromInputUnsafe(options.timeout ?? "30 seconds"),
    redact: (text) => text.replaceAll("wak_secret", "<key>"),
    emit: (event) => Effect.sync(() => events.push(event)),
    ...(options.inspect === undefined ? {} : { inspect: options.inspect }),
    ...(options.finish === undefined ? {} : { finish: options.finish }),
    ...(options.only === undefined ? {} : { only: options.only }),
    ...(options.learned === undefined ? {} : { learned: options.learned }),
    ...(options.probe === undefined ? {} : { probe: options.probe }),
    ...(options.suspects === undefined ? {} : { suspects: options.suspects }),
    ...(options.done === undefined ? {} : { done: options.done }),
    ...(options.worked_ms === undefined ? {} : { worked_ms: options.worked_ms })
  })
  return { report, events }
})
