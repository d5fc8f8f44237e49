import { apiKeyHeader } from "@webagent/contract/Wire"
import { Server, type SimulatedOptions, SimulatedService } from "@webagent/simulation"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { ScenarioContext } from "@webagent/scenario"
import * as TrialLog from "../../src/observe/TrialLog.ts"
import { connect, type Target } from "../../src/targets/Target.ts"
import { traced } from "../../src/observe/TrialTracer.ts"
import { assemble } from "../../src/observe/Assembly.ts"

export const apiKey = "wak_canary+/7"

/** A target over a real socket. */
export const targetOf = Effect.fnUntraced(function* (options: SimulatedOptions = {}) {
  const built = yield* Layer.build(SimulatedService.layer({ apiKeys: [apiKey], turnDuration: "5 millis", ...options }))
  const { address, baseUrls } = Context.get(built, Server)
  const target: Target = yield* connect({
    simulated: true,
    apiKey: Redacted.make(apiKey),
    info: { name: "simulated service", address, baseUrls, apiKeyHeader, capabilities: new Set() }
  })
  return target
})

/** Runs what a scenario would do, as a trial of its own, and gives its log and its trace. */
export const trialOf = Effect.fnUntraced(function* <A, E>(
  target: Target,
  body: (context: ScenarioContext) => Effect.Effect<A, E>
) {
  const log = TrialLog.make()
  log.began_ms = Number(yield* Clock.currentTimeNanos) / 1e6
  const exit = yield* body(target.contextOf(1)).pipe(Effect.provideService(TrialLog.TrialLog, log), traced, Effect.exit)
  const trace = assemble({
    suite: "suite",
    scenario: "scenario",
    index: 0,
    seed: 1,
    began_ms: log.began_ms,
    duration_ms: Number(yield* Clock.currentTimeNanos) / 1e6 - log.began_ms,
    exchanges: log.exchanges,
    spans: log.spans,
    journal: [],
    dropped: { exchanges: 0, spans: 0, journal: 0 },
    baseUrls: target.info.baseUrls,
    apiKeyHeader: target.info.apiKeyHeader,
    redact: target.redact
  })
  return { exit, log, trace }
})
