import { assert, describe, it } from "@effect/vitest"
import type { Suite } from "@webagent/scenario"
import { PollSchedule } from "@webagent/polling"
import { Server, SimulatedService } from "@webagent/simulation"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Plan from "../../src/run/Plan.ts"
import * as Runner from "../../src/run/Runner.ts"
import { builtIn } from "../../src/suites/BuiltIn.ts"
import { probe } from "../../src/targets/RemoteTarget.ts"
import { connect } from "../../src/targets/Target.ts"
import { mutants } from "./Mutants.ts"
import * as MutantProxy from "./MutantProxy.ts"

const load = (name: string): Effect.Effect<Suite.Suite> =>
  Effect.promise(async () => {
    const suite = await builtIn[name]?.()
    return suite?.default ?? assert.fail(`no suite ${name}`)
  })

/** What the runner is told, but for the mutation. */
interface Choice {
  readonly suites: ReadonlyArray<Suite.Suite>
  readonly name?: string
  readonly timeout: Duration.Input
}

/** Runs scenarios, as `run --target URL` does, against a server with a mutation in front of it. */
const runAgainst = (mutation: MutantProxy.Mutation, { suites, timeout, ...selection }: Choice) =>
  Effect.gen(function* () {
    const server = yield* Server
    const apiKey = server.apiKeys[0] ?? ""
    const proxy = yield* Effect.acquireRelease(
      Effect.promise(() => MutantProxy.start(server.address, apiKey, mutation)),
      (started) => Effect.promise(started.close)
    )
    const connection = yield* probe({
      url: proxy.address,
      apiKeyEnv: "WEBAGENT_API_KEY",
      apiKey: Redacted.make(apiKey),
      apiKeyHeader: undefined,
      v2SessionId: undefined,
      allowPaid: false,
      program: "webagent-harness"
    })
    const target = yield* connect(connection)
    return yield* Runner.run({
      header: {
        tool: { name: "webagent-harness", version: "0" },
        startedAt: "2026-01-01T00:00:00Z",
        seed: 1,
        concurrency: 8,
        trials: null,
        limits: {},
        target: { name: target.info.name, address: target.info.address, simulated: true, capabilities: [] },
        suites: []
      },
      plan: Plan.make(suites, { tags: [], ...selection }),
      contextOf: target.contextOf,
      lacks: target.lacks,
      stopBrowser: target.stopBrowser,
      timeout: Duration.fromInputUnsafe(timeout),
      redact: target.redact,
      emit: () => Effect.void
    }).pipe(Effect.provideService(PollSchedule.Current, target.pollSchedule))
  }).pipe(Effect.scoped, Effect.provide(SimulatedService.layerTest))

// A suite that cannot fail is worth nothing: each of these servers is broken in one way, and has to be found out.
// One at a time, and each by the one scenario that names its bug: nothing here depends on how busy the machine is.
describe("mutants of the server", () => {
  it.live("change nothing if only the proxy is used: every suite passes behind it", () =>
    Effect.gen(function* () {
      const { counts, results } = yield* runAgainst(
        {},
        { suites: yield* Effect.forEach(Object.keys(builtIn), load), timeout: "2 minutes" }
      )
      assert.deepStrictEqual(
        results
          // behind the proxy there is no control API
          .filter(({ needs, verdict }) => verdict !== (needs.includes("control-api") ? "skipped" : "passed"))
          .map(({ failure, name }) => [name, failure?.message]),
        []
      )
      assert.isAbove(counts.passed, 100)
    })
  )

  for (const { claimed, hangs, make, name, noticedBy, suite } of mutants) {
    it.live(`include ${name}, which ${suite} detects`, () =>
      Effect.gen(function* () {
        const { results } = yield* runAgainst(make(), {
          suites: [yield* load(suite)],
          name: noticedBy,
          timeout: hangs ? "2 seconds" : "1 minute"
        })
        assert.deepStrictEqual(
          results.map(({ failure, verdict }) => [verdict, failure?.kind === "timeout"]),
          [[claimed === true ? "claimed" : "failed", hangs === true]]
        )
        // noticed by looking at what came, and not because the suite itself broke
        assert.notStrictEqual(results[0]?.failure?.kind, "defect")
      })
    )
  }
})
