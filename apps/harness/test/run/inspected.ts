import * as NodeServices from "@effect/platform-node/NodeServices"
import { apiKeyHeader } from "@webagent/contract/Wire"
import { PollSchedule } from "@webagent/polling"
import type { Suite } from "@webagent/scenario"
import { Control, ControlServer, Server, type SimulatedOptions, SimulatedService } from "@webagent/simulation"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Inspector from "../../src/run/Inspector.ts"
import * as Plan from "../../src/run/Plan.ts"
import * as Runner from "../../src/run/Runner.ts"
import * as RemoteControl from "../../src/targets/RemoteControl.ts"
import { connect, type Target } from "../../src/targets/Target.ts"
import * as Unawaited from "../../src/observe/Unawaited.ts"
import { traced } from "../../src/observe/TrialTracer.ts"
import type { Limits } from "@webagent/report/RunReport"
import { Trace } from "@webagent/report/Trace"

export const apiKey = "wak_canary_of_a_test"

/** A simulated server over a real socket, as another process would have it, and what connects a harness to it. */
export const serverOf = Effect.fnUntraced(function* (options: SimulatedOptions = {}) {
  const parts = yield* Layer.build(
    SimulatedService.layer({ apiKeys: [apiKey], turnDuration: "5 millis", control: { key: "control" }, ...options })
  )
  const server = Context.get(parts, Server)
  const info = {
    name: "simulated service",
    address: server.address,
    baseUrls: server.baseUrls,
    apiKeyHeader,
    capabilities: new Set<never>()
  }
  const connection = { simulated: true, apiKey: Redacted.make(apiKey), info }
  const opened = RemoteControl.open({
    address: Context.get(parts, ControlServer).address ?? "",
    keyEnv: "WEBAGENT_CONTROL_KEY",
    key: Redacted.make("control")
  })
  const control: Control["Service"] = Context.get(parts, Control)
  /** With its control API, or as a server without one. */
  const target = (controlled = true): Effect.Effect<Target, unknown, Effect.Services<typeof opened>> =>
    controlled ? Effect.flatMap(opened, (more) => connect({ ...connection, ...more })) : connect(connection)
  return { control, target }
})

/** Runs suites as the program does, in a folder of its own. */
export const runIn = Effect.fnUntraced(function* (
  target: Target,
  suites: ReadonlyArray<Suite.Suite>,
  options: {
    readonly concurrency?: number
    readonly directory?: string
    readonly limits?: Limits
  } = {}
) {
  const fs = yield* FileSystem.FileSystem
  const directory = options.directory ?? (yield* fs.makeTempDirectoryScoped({ prefix: "inspected-" }))
  const plan = Plan.make(suites, { tags: [] })
  const unawaited = yield* Unawaited.collect
  const { limits = {} } = options
  const { address, name } = target.info
  const report = yield* Runner.run({
    header: {
      tool: { name: "webagent-harness", version: "0.0.0" },
      startedAt: "2026-11-21T09:12:44.000Z",
      seed: 1,
      concurrency: options.concurrency ?? 8,
      trials: null,
      limits,
      target: { name, address, simulated: true, capabilities: [] },
      suites: []
    },
    plan,
    contextOf: target.contextOf,
    lacks: () => undefined,
    timeout: Duration.seconds(20),
    redact: target.redact,
    emit: () => Effect.void,
    ...(yield* Inspector.make(target, plan, { directory, limits, unawaited }))
  }).pipe(Effect.provideService(PollSchedule.Current, PollSchedule.every("5 millis")), traced)
  const traceOf = (trace: string | undefined) =>
    Effect.map(fs.readFileString(`${directory}/${trace}`), (text) =>
      Schema.decodeUnknownSync(Schema.fromJsonString(Trace))(text)
    )
  const trials = report.results.flatMap((result) => result.trials.map((trial) => ({ name: result.name, ...trial })))
  return { report, trials, directory, traceOf }
})

/** A test over real sockets and files. */
export const live = <A, E>(
  test: Effect.Effect<A, E, Effect.Services<ReturnType<typeof runIn>> | NodeServices.NodeServices>
) => test.pipe(Effect.provide(NodeServices.layer))
