import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import type { Finding } from "@webagent/report/Finding"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as TestClock from "effect/testing/TestClock"
import { join } from "node:path"
import * as Acknowledgements from "../src/Acknowledgements.ts"
import * as Decisions from "../src/Decisions.ts"
import * as NightFile from "../src/NightFile.ts"
import { night, scenario } from "./nights.ts"
import { green } from "./reports.ts"

const pays = { suite: "shop", name: "pays" }
const sells = { suite: "shop", name: "sells" }
const begun = Date.UTC(2026, 0, 10, 8)

const failed = (...names: ReadonlyArray<{ readonly suite: string; readonly name: string }>): Finding => ({
  kind: { _tag: "Failed", claimedSuccess: false, cause: null, trials: 5 },
  severity: "error",
  scenarios: names
})
const red = night(8, [scenario("pays", 0), scenario("sells")], {
  findings: [failed(pays)],
  regressed: [{ figure: "cost", scenario: null, since: new Date(Date.UTC(2026, 0, 9, 2)).toISOString() }]
})

/** Runs a test in a folder of its own, with a history of one failed night, on 2026-01-10. */
const inFolder = (
  name: string,
  test: (paths: {
    readonly file: string
    readonly history: string
  }) => Effect.Effect<void, unknown, FileSystem.FileSystem>
) =>
  it.effect(name, () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const history = join(folder, "history.ndjson")
      yield* TestClock.setTime(begun)
      yield* NightFile.append(history, red)
      yield* test({ file: join(folder, "quarantine.json"), history })
    }).pipe(Effect.provide(NodeServices.layer))
  )

const cost = { isUnusual: false, now: null, before: null, window: 1, since: "", nights: 9, detectable: null }
const asked = { owner: "ada", reason: "the bank is slow", expires: "2026-01-20" }
const entry = { suite: "shop", scenario: "pays", ...asked, since: "2026-01-10" }
const textOf = (file: string) => FileSystem.FileSystem.use((fs) => fs.readFileString(file))
const messageOf = <A, R>(effect: Effect.Effect<A, { readonly message: string }, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

describe("quarantine", () => {
  inFolder("is written, replaced and released, and keeps the rest of the file", ({ file }) =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const other = { ...entry, scenario: "sells", since: "2026-01-01" }
      yield* fs.writeFileString(file, JSON.stringify({ cleanTrials: 20, entries: [other] }))
      const scenarios = Array.from({ length: 40 }, (_, index) => ({ suite: "shop", name: `s${index}` }))
      const all = [pays, sells, ...scenarios]
      const first = yield* Decisions.quarantine({ file, scenario: pays, ...asked, scenarios: all })
      assert.deepStrictEqual(first, { entry, replaced: undefined })
      const second = yield* Decisions.quarantine({ file, scenario: pays, ...asked, owner: "bob", scenarios: all })
      assert.deepStrictEqual(second, { entry: { ...entry, owner: "bob" }, replaced: entry })
      assert.deepStrictEqual(JSON.parse(yield* textOf(file)), {
        cleanTrials: 20,
        entries: [other, { ...entry, owner: "bob" }]
      })
      const released = yield* Decisions.release({ file, scenario: sells })
      assert.deepStrictEqual(released, [other])
      assert.match(
        yield* messageOf(Decisions.release({ file, scenario: sells })),
        /: "shop › sells" is not in quarantine\.$/u
      )
    })
  )

  inFolder("refuses invalid entries with one sentence, as a night does, and changes nothing", ({ file }) =>
    Effect.gen(function* () {
      const of = (change: Partial<Decisions.QuarantineRequest>) =>
        messageOf(Decisions.quarantine({ file, scenario: pays, ...asked, ...change }))
      assert.strictEqual(
        yield* of({ expires: "2026-03-01" }),
        "2026-03-01 is too far away, because a quarantine lasts at most 30 days. Choose a day from 2026-01-10 to 2026-02-09."
      )
      assert.strictEqual(
        yield* of({ expires: "2026-01-09" }),
        "2026-01-09 is in the past. Choose a day from 2026-01-10 to 2026-02-09."
      )
      assert.match(yield* of({ expires: "tomorrow" }), /expected a day such as 2026-12-01, got "tomorrow"/u)
      assert.match(yield* of({ owner: " " }), /expected some words/u)
      assert.strictEqual(yield* of({ scenarios: [sells] }), 'No scenario is named "shop › pays".')
      const fs = yield* FileSystem.FileSystem
      assert.isFalse(yield* fs.exists(file))
      yield* Decisions.quarantine({ file, scenario: sells, ...asked })
      const before = yield* textOf(file)
      assert.match(yield* of({ scenarios: [pays, sells] }), /: 2 of 2 scenarios are in quarantine, and 1 may be/u)
      assert.strictEqual(yield* textOf(file), before)
      yield* fs.writeFileString(file, `<<<<<<< ours\n${before}=======\n`)
      assert.match(yield* of({}), /quarantine\.json: line 1 is a merge conflict marker\. Delete it/u)
      yield* fs.writeFileString(file, before.slice(0, 40))
      assert.match(yield* of({}), /quarantine\.json: it is not JSON, or it was cut short\. Restore it/u)
      assert.isFalse(yield* fs.exists(`${file}.lock`))
    })
  )

  it.live("keeps every entry with many writers at the same time", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = join(yield* fs.makeTempDirectoryScoped(), "quarantine.json")
      const today = new Date()
      const expires = new Date(today.getTime() + 86_400_000).toISOString().slice(0, 10)
      const names = Array.from({ length: 30 }, (_, index) => `s${index}`)
      yield* Effect.forEach(
        names,
        (name) => Decisions.quarantine({ file, scenario: { suite: "shop", name }, ...asked, expires }),
        { concurrency: "unbounded" }
      )
      const { entries } = JSON.parse(yield* textOf(file)) as { readonly entries: ReadonlyArray<{ scenario: string }> }
      assert.sameMembers(
        entries.map((one) => one.scenario),
        names
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("decisions about a night", () => {
  inFolder("accept a regression once, and name it", ({ history }) =>
    Effect.gen(function* () {
      const request = { history, night: red.id }
      assert.deepStrictEqual(yield* Decisions.accept({ ...request, note: "new model" }), {
        isNew: true,
        regressions: 1
      })
      assert.deepStrictEqual(yield* Decisions.accept(request), { isNew: false, regressions: 1 })
      const { accepted } = yield* NightFile.read(history)
      assert.deepStrictEqual(
        accepted.map(({ note }) => note),
        ["new model"]
      )
      assert.match(yield* messageOf(Decisions.accept({ ...request, scenario: pays })), /"shop > pays" did not regress/u)
      assert.match(yield* messageOf(Decisions.accept({ history, night: "none" })), /has no night none\.$/u)
      // a night since then may have regressed again
      yield* NightFile.append(history, night(11, [scenario("pays")]))
      assert.isTrue((yield* Decisions.accept(request)).isNew)
    })
  )

  inFolder("acknowledge a problem until it is resolved or its date has passed", ({ history }) =>
    Effect.gen(function* () {
      const request = { history, night: red.id, owner: "ada" }
      assert.deepStrictEqual((yield* Decisions.acknowledge(request)).problems, [pays, null])
      yield* Decisions.acknowledge({ ...request, owner: "bob", scenario: pays, until: "2026-01-12", note: "rollback" })
      const refused = { ...request, scenario: sells }
      assert.match(yield* messageOf(Decisions.acknowledge(refused)), /"shop > sells" had no problem in night/u)
      assert.strictEqual(
        yield* messageOf(Decisions.acknowledge({ ...request, until: "2026-01-09" })),
        "2026-01-09 is in the past."
      )
      const past = yield* NightFile.read(history)
      const ownersOf = (day: number, since = red.startedAt) => {
        const onset = { trials: { since, nights: 3, known: 9 } }
        const row = { figure: "cost", scenario: null, verdict: "regressed", onset: onset.trials } as const
        const report = Acknowledgements.mark(
          {
            ...green,
            header: { ...green.header, startedAt: night(day, []).startedAt },
            judgement: {
              verdict: "regressed",
              nights: 9,
              passedOver: [],
              differences: [],
              rows: [{ ...cost, ...row }]
            },
            results: [pays, sells].map((one) => ({ ...(green.results[0] ?? ({} as never)), ...one, onset }))
          },
          past
        )
        return [report.acknowledged, ...report.results.map(({ acknowledged }) => acknowledged)].map((one) => one?.owner)
      }
      // bob's word is the later one, until its day has passed
      assert.deepStrictEqual(ownersOf(9), ["ada", "bob", undefined])
      assert.deepStrictEqual(ownersOf(15), ["ada", "ada", undefined])
      // it has been well since, and began again
      assert.deepStrictEqual(ownersOf(15, night(14, []).startedAt), [undefined, undefined, undefined])
    })
  )

  inFolder("acknowledge a problem of the whole run while each night has one of that kind", ({ history }) =>
    Effect.gen(function* () {
      const lost: Finding = {
        kind: { _tag: "Incomplete", why: { _tag: "LostShards", missing: 1, of: 2 } },
        severity: "error",
        scenarios: []
      }
      const all = [scenario("pays"), scenario("sells")]
      const partial = night(9, all, { findings: [lost] })
      yield* NightFile.append(history, partial)
      const request = { history, night: partial.id, owner: "ada" }
      assert.deepStrictEqual((yield* Decisions.acknowledge(request)).problems, [null])
      const kindsOf = (day: number, more: ReadonlyArray<ReturnType<typeof night>> = []) =>
        Effect.map(NightFile.read(history), (past) => {
          const report = { ...green, header: { ...green.header, startedAt: night(day, []).startedAt } }
          const { acknowledgedKinds } = Acknowledgements.mark(report, { ...past, nights: [...past.nights, ...more] })
          return Object.entries(acknowledgedKinds ?? {}).map(([kind, { owner }]) => `${kind} ${owner}`)
        })
      assert.deepStrictEqual(yield* kindsOf(10), ["Incomplete ada"])
      assert.deepStrictEqual(yield* kindsOf(11, [night(10, all, { findings: [lost] })]), ["Incomplete ada"])
      assert.deepStrictEqual(yield* kindsOf(11, [night(10, all, { findings: [] })]), [])
    })
  )
})
