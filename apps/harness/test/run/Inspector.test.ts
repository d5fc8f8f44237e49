import { assert, describe, it } from "@effect/vitest"
import { check, scenario, Suite } from "@webagent/scenario"
import { LedgerFile } from "@webagent/core"
import { errorsOf } from "@webagent/findings/Findings"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import { IntrospectionError } from "../../src/targets/Introspection.ts"
import { apiKey, live, runIn, serverOf } from "./inspected.ts"

const lost = { kind: "reset", placement: "after-apply" } as const
const task = "Buy a red mug [simulate duration=5ms]"
const names = (breaches: ReadonlyArray<{ readonly invariant: string }>) => breaches.map(({ invariant }) => invariant)

const careful = scenario("careful", function* ({ v4 }) {
  const run = yield* v4.runs.createAndWait({ task })
  yield* check.equal(run.status, "completed")
})

/** A service without the operation that cancels runs: only its control API can end them. */
const lacking = { fault: { kind: "status", status: 404 }, when: { operations: ["v4.cancelRun"] } } as const

describe("problems of a trial whose checks all passed", () => {
  it.live("include two runs for one intent, without blaming parallel trials", () =>
    Effect.gen(function* () {
      const server = yield* serverOf({ faults: [{ fault: lost, when: { operations: ["v4.createRun"], nth: [1] } }] })
      const suite = Suite.make("twice", [
        scenario("creates twice", function* ({ request, v4 }) {
          const create = request("v4", { method: "POST", path: "/runs", body: { task } })
          yield* Effect.exit(create)
          const { body } = yield* create
          const { status } = yield* v4.runs.untilTerminal((body as { readonly id: string }).id)
          yield* check.equal(status, "completed")
        })
      ])
      const { trials } = yield* runIn(yield* server.target(), [suite])
      assert.strictEqual(trials[0]?.verdict, "passed")
      assert.deepStrictEqual(names(trials[0]?.breaches ?? []), ["created-twice"])

      const many = Suite.make(
        "many",
        Array.from({ length: 6 }, (_, index) =>
          index === 3
            ? scenario("asks on", function* ({ v4 }) {
                const { id } = yield* v4.runs.createAndWait({ task })
                yield* check.equal((yield* v4.runs.status(id)).status, "completed")
              })
            : { ...careful, name: `careful ${index}` }
        )
      )
      const { trials: beside, report } = yield* runIn(yield* server.target(), [many])
      assert.deepStrictEqual(
        beside.map(({ breaches }) => names(breaches)),
        [[], [], [], ["polls-after-terminal"], [], []]
      )
      assert.deepStrictEqual(report.breaches, [])
    }).pipe(live)
  )

  it.live("include a run that is not read or left running, unless it's allowed or the trial failed", () =>
    Effect.gen(function* () {
      const server = yield* serverOf({ faults: [lacking] })
      const leave = function* ({ v3, v4 }: Parameters<typeof careful.run>[0]) {
        yield* v4.runs.create({ task: "[simulate duration=1h]" })
        yield* v3.sessions.create({ task: "[simulate duration=5ms]" })
        yield* check.isTrue(true)
      }
      const suite = Suite.make("left", [
        scenario("leaves them", leave),
        scenario("means to", { allows: ["results-never-fetched", "runs-left-running"] }, leave),
        scenario("means to leave short ones", { allows: ["results-never-fetched"] }, leave),
        scenario("fails", function* ({ v4 }) {
          const { id } = yield* v4.runs.createAndWait({ task })
          yield* v4.runs.status(id)
          yield* v4.runs.create({ task })
          yield* check.isTrue(false)
        }),
        careful
      ])
      for (const controlled of [true, false]) {
        const { report, trials } = yield* runIn(yield* server.target(controlled), [suite])
        assert.deepStrictEqual(
          trials.map(({ breaches, verdict }) => [verdict, names(breaches)]),
          [
            ["passed", ["results-never-fetched", "runs-left-running"]],
            ["passed", []],
            ["passed", ["runs-left-running"]],
            ["failed", []],
            ["passed", []]
          ]
        )
        // a session or run that has ended by itself is no finding
        assert.deepStrictEqual(
          report.leftovers?.map(({ kind, state, trial }) => [kind, state, trial?.scenario]),
          [
            ["run", controlled ? "stopped" : "open", "leaves them"],
            ["run", controlled ? "stopped" : "open", "means to"],
            ["run", controlled ? "stopped" : "open", "means to leave short ones"]
          ]
        )
        const abandoned = errorsOf(report).find(({ kind }) => kind._tag === "AbandonedRun")
        assert.deepStrictEqual(
          abandoned?.scenarios.map(({ name }) => name),
          ["leaves them", "means to leave short ones"]
        )
      }
      const { turns } = yield* server.control.open
      assert.strictEqual(turns.length, 3)
    }).pipe(live)
  )
})

describe("the cost of runs under a limit", () => {
  const buy = (task: string, read: "status" | "run" | "nothing") =>
    function* ({ v4 }: Parameters<typeof careful.run>[0]) {
      const { id } = yield* v4.runs.create({ task })
      if (read !== "nothing") yield* v4.runs.untilTerminal(id)
      yield* check.isTrue(true)
    }
  it.live("includes simulated runs that were left running or failed, so that no cost is unknown", () =>
    Effect.gen(function* () {
      const server = yield* serverOf({ faults: [lacking] })
      const options = {
        needs: ["money"],
        budget: "1.00 USD",
        allows: ["runs-left-running", "results-never-fetched"]
      } as const
      const suite = Suite.make("priced", [
        scenario("reads it", options, buy("[simulate duration=5ms cost=0.25]", "run")),
        scenario("leaves a short one", options, buy("[simulate duration=5ms cost=0.25]", "nothing")),
        scenario("leaves a long one", options, buy("[simulate duration=1h cost=0.25]", "nothing"))
      ])
      const { report, trials } = yield* runIn(yield* server.target(), [suite], { limits: { cost_usd: "10" } })
      assert.deepStrictEqual(
        trials.map(({ costUnknown, verdict }) => [verdict, costUnknown]),
        [
          ["passed", undefined],
          ["passed", undefined],
          ["passed", undefined]
        ]
      )
      assert.deepStrictEqual(
        trials.slice(0, 2).map(({ cost_usd }) => cost_usd),
        ["0.25", "0.25"]
      )
      assert.deepStrictEqual(errorsOf(report), [])
      // without its control API, the service can't stop the long one
      const { report: other, trials: open } = yield* runIn(yield* server.target(false), [suite], {
        limits: { cost_usd: "10" }
      })
      assert.deepStrictEqual(
        open.map(({ costUnknown }) => costUnknown?.length ?? 0),
        [0, 0, 1]
      )
      assert.deepStrictEqual(
        errorsOf(other).map(({ kind }) => kind._tag),
        ["CostUnknown"]
      )
    }).pipe(live)
  )
})

describe("a lost response", () => {
  const suite = Suite.make("lost", [
    scenario("a browser with an unknown id", function* ({ v4 }) {
      yield* check.fails(v4.browsers.create(), "CreateOutcomeUnknown")
    })
  ])
  const faults = [{ fault: lost, when: { operations: ["v4.createBrowser" as const] } }] as const

  it.live("is no problem, and its resource is found and stopped", () =>
    Effect.gen(function* () {
      const server = yield* serverOf({ faults })
      const { report, trials } = yield* runIn(yield* server.target(), [suite])
      assert.deepStrictEqual([trials[0]?.verdict, trials[0]?.breaches, report.breaches], ["passed", [], []])
      assert.deepStrictEqual(
        report.leftovers?.map(({ kind, state }) => [kind, state]),
        [["browser", "stopped"]]
      )
      assert.deepStrictEqual((yield* server.control.open).browsers, [])
    }).pipe(live)
  )

  it.live("lists a create with an unknown outcome, and keeps it in the run's ledger", () =>
    Effect.gen(function* () {
      const server = yield* serverOf({ faults })
      const { directory, report } = yield* runIn(yield* server.target(false), [suite])
      assert.deepStrictEqual(report.breaches, [])
      assert.deepStrictEqual(
        report.leftovers?.map(({ id, kind, state, trial }) => [kind, id, state, trial?.scenario]),
        [["browser", null, "unknown", "a browser with an unknown id"]]
      )
      const ledger = yield* LedgerFile.make({ directory: `${directory}/ledger` })
      const [item, ...more] = yield* ledger.open
      assert.deepStrictEqual([item?.kind, item?.state, more], ["browser", "unknown", []])
      assert.match(item?.owner ?? "", new RegExp(`^process ${process.pid}\\b`, "u"))
    }).pipe(live)
  )
})

describe("the end of a run", () => {
  it.live("stops leftover resources again, even if the run itself is stopped", () =>
    Effect.gen(function* () {
      const server = yield* serverOf({
        // every try of the trial's own end: what is tried later succeeds
        faults: [{ fault: { kind: "status", status: 500 }, when: { operations: ["v4.updateBrowser"], nth: [1] } }]
      })
      const began = yield* Deferred.make<void>()
      const suite = Suite.make("held", [
        scenario("holds", function* ({ request }) {
          yield* request("v4", { method: "POST", path: "/browsers", body: {} })
          yield* Deferred.succeed(began, undefined)
          yield* Effect.never
        })
      ])
      const target = yield* server.target()
      let left: ReadonlyArray<string> | undefined
      const fiber = yield* Effect.forkChild(
        Effect.uninterruptible(
          Effect.map(runIn(target, [suite]), ({ report }) => {
            left = report.leftovers?.map(({ kind, state }) => `${kind} ${state}`)
            assert.isTrue(report.interrupted)
          })
        )
      )
      yield* Deferred.await(began)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(left, ["browser stopped"])
      assert.deepStrictEqual((yield* server.control.open).browsers, [])
    }).pipe(live)
  )

  it.live("finds the key in written files, and removes it", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* fs.makeTempDirectoryScoped({ prefix: "inspected-" })
      yield* fs.writeFileString(`${directory}/events.ndjson`, `{"name":"a key ${apiKey}"}\n`)
      const server = yield* serverOf()
      const { report } = yield* runIn(yield* server.target(), [Suite.make("s", [careful])], { directory })
      assert.deepStrictEqual(names(report.breaches), ["key-in-report"])
      assert.strictEqual(yield* fs.readFileString(`${directory}/events.ndjson`), '{"name":"a key <key>"}\n')
    }).pipe(live)
  )

  it.live("reports that the journal could not be read", () =>
    Effect.gen(function* () {
      const server = yield* serverOf()
      const target = yield* server.target()
      const { introspection } = target
      assert.isDefined(introspection)
      if (introspection === undefined) return
      const rows = Effect.fail(new IntrospectionError({ message: "The control API cannot be read: gone" }))
      const { report } = yield* runIn({ ...target, introspection: { ...introspection, rows } }, [
        Suite.make("s", [careful])
      ])
      assert.deepStrictEqual(names(report.breaches), ["journal-not-read"])
    }).pipe(live)
  )
})

describe("a trial's trace", () => {
  it.live("has the journal's rows on the same axis, even if service time is not real time", () =>
    Effect.gen(function* () {
      const server = yield* serverOf({ time: { mode: "scaled", factor: 40 } })
      const suite = Suite.make("scaled", [
        scenario("ten minutes in fifteen milliseconds", function* ({ v4 }) {
          yield* check.equal((yield* v4.runs.createAndWait({ task: "[simulate duration=1s]" })).status, "completed")
        })
      ])
      const { traceOf, trials } = yield* runIn(yield* server.target(), [suite])
      const trace = yield* traceOf(trials[0]?.trace)
      const requests = trace.journal.filter(({ row }) => row.type === "request")
      assert.strictEqual(requests.length, trace.exchanges.length)
      for (const [index, { at_ms, row }] of requests.entries()) {
        const exchange = trace.exchanges[index]
        assert.isDefined(exchange)
        if (exchange === undefined || row.type !== "request") continue
        assert.strictEqual(row.method, exchange.method)
        // the row's time has whole milliseconds
        assert.isTrue(at_ms >= exchange.at_ms - 2 && at_ms <= exchange.at_ms + exchange.duration_ms + 2, `row ${index}`)
      }
      const moves = trace.journal.flatMap(({ row }) => (row.type === "move" && row.of === "turn" ? [row.to] : []))
      assert.deepStrictEqual(moves, ["queued", "dispatching", "running", "completed"])
      assert.isTrue(trace.journal.every(({ at_ms }) => at_ms >= -2 && at_ms <= trace.duration_ms + 2))
    }).pipe(live)
  )
})
