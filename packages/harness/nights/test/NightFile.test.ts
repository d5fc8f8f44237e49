import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
import { join } from "node:path"
import * as NightFile from "../src/NightFile.ts"
import { withId } from "../src/Night.ts"
import { night, scenario } from "./nights.ts"

const [one, two, three] = [0, 1, 2].map((day) => night(day, [scenario("pays", 5 - day)]))
if (one === undefined || two === undefined || three === undefined) throw new Error("three nights are three")
const text = (...lines: ReadonlyArray<unknown>) => lines.map((line) => `${JSON.stringify(line)}\n`).join("")
const accepted = NightFile.acceptance({ at: "2026-01-05T00:00:00.000Z", night: two.id, note: "meant" })

const parsed = (content: string) => Result.getOrThrow(NightFile.parse(content, "h"))
const refused = (content: string) => {
  const result = NightFile.parse(content, "h")
  if (Result.isSuccess(result)) throw new Error("it was taken")
  return result.failure
}

describe("the text of a history", () => {
  it("can be merged from two machines in any order, with all lines of both", () => {
    const past = parsed(text(three, accepted, one) + text(one, two, accepted))
    assert.deepStrictEqual(past, { nights: [one, two, three], accepted: [accepted], acknowledged: [], warnings: [] })
  })

  it("is empty without nights", () => {
    assert.deepStrictEqual(parsed("\n\n"), { nights: [], accepted: [], acknowledged: [], warnings: [] })
  })

  it("skips a truncated line anywhere, with a warning, and zeros after a power loss", () => {
    const half = JSON.stringify(two).slice(0, 100)
    assert.deepStrictEqual(parsed(`${text(one)}${half}\n${text(three)}`), {
      nights: [one, three],
      accepted: [],
      acknowledged: [],
      warnings: ["h line 2 was skipped: it is incomplete."]
    })
    const zeros = parsed(`${text(one)}\0\0\n${half}\0\0\n${text(three)}`)
    assert.deepStrictEqual([zeros.nights, zeros.warnings], [[one, three], ["h line 3 was skipped: it is incomplete."]])
  })

  it("reads entries after a partial line, or after a whole one without a line end", () => {
    const half = JSON.stringify(two).slice(0, 100)
    const glued = parsed(`${half}${text(one)}${JSON.stringify(three)}${text(accepted)}`)
    assert.deepStrictEqual(glued, {
      nights: [one, three],
      accepted: [accepted],
      acknowledged: [],
      warnings: ["h line 1 was skipped: it is incomplete."]
    })
  })

  it("recognizes a run that was recorded twice, and uses the more complete entry", () => {
    const { id: _, ...of } = two
    const again = withId({ ...of, duration_ms: of.duration_ms + 5 })
    const short = withId({ ...of, partial: { _tag: "LostShard", shards: [2], cut: 1, of: 2 }, scenarios: [] })
    assert.deepStrictEqual(parsed(text(two, again)).nights, [again])
    for (const lines of [text(short, two), text(two, short)]) assert.deepStrictEqual(parsed(lines).nights, [two])
    const elsewhere = withId({ ...of, fingerprint: { ...of.fingerprint, target: "http://127.0.0.1:1" } })
    assert.strictEqual(parsed(text(two, elsewhere)).nights.length, 2)
  })

  it("skips a line wherever it was truncated", () => {
    const whole = JSON.stringify(
      night(1, [scenario('pays {"'), scenario("back\\\\slash")], { partial: { _tag: "Other", text: "}" } })
    )
    for (let length = 1; length < whole.length; length++) {
      const { nights, warnings } = parsed(`${text(one)}${whole.slice(0, length)}\n${text(three)}`)
      assert.deepStrictEqual([nights.length, warnings.length], [2, 1], whole.slice(0, length))
    }
  })

  it("refuses any other line, with its number and the reason", () => {
    assert.strictEqual(refused(`oops\n${text(one)}`), "h line 1 is not a line of a history: it is not JSON.")
    assert.match(
      refused(`${text(one)}<<<<<<< HEAD\n${text(two)}`),
      /^h line 2 .+ it is a merge conflict marker\. Delete it, and keep the lines of both sides\.$/u
    )
  })

  it("names the invalid field of a night, and describes other lines", () => {
    const [pays] = one.scenarios
    const of = (change: object) => refused(`${text({ ...one, ...change })}${text(two)}`)
    const said = "h line 1 is not a line of a history: "
    assert.strictEqual(of({ scenarios: 3 }), `${said}Expected array at ["scenarios"].`)
    assert.strictEqual(
      of({ startedAt: "2026-02-30T02:00:00.000Z" }),
      `${said}expected a time such as 2026-11-21T03:00:00.000Z, got "2026-02-30T02:00:00.000Z" at ["startedAt"].`
    )
    assert.include(of({ startedAt: "2026-02-03T02:00:00+01:00" }), "expected a time such as")
    assert.include(of({ duration_ms: -5 }), 'at ["duration_ms"]')
    assert.include(of({ cost_usd: "abc" }), 'expected USD such as "0.0132", got "abc" at ["cost_usd"]')
    // a scenario that was not cut short does not say so
    assert.include(of({ scenarios: [{ ...pays, unrun: 0 }] }), 'at ["scenarios"][0]["unrun"]')
    assert.include(
      of({ scenarios: [{ ...pays, passed: 9, scored: 5 }] }),
      'expected passed to be at most scored, got 9 of 5 at ["scenarios"][0]'
    )
    assert.strictEqual(
      of({ version: 3 }),
      `${said}it has version 3, and only versions 1 and 2 can be read. Use the release that wrote it, or another file.`
    )
    assert.strictEqual(of({ kind: "started" }), `${said}it is no night. Name a file that run --record wrote.`)
  })
})

it("reads a night of version 1 without its sentence, and keeps its id", () => {
  const { findings: _, status: __, ...line } = one
  const parsedStatus = (status: string) =>
    parsed(text({ ...line, version: 1, verdict: { status, title: "1 new failure" } })).nights
  assert.deepStrictEqual(parsedStatus("red"), [{ ...line, status: "failed" }])
  assert.deepStrictEqual(
    ["unusual", "green"].map((status) => parsedStatus(status)[0]?.status),
    ["warning", "passed"]
  )
})

describe("a history file", () => {
  const file = Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return join(yield* fs.makeTempDirectoryScoped(), "below", "history.ndjson")
  })

  it.effect("begins with the first night, and keeps lines intact that are added at the same time", () =>
    Effect.gen(function* () {
      const path = yield* file
      assert.deepStrictEqual((yield* NightFile.read(path)).nights, [])
      const nights = Array.from({ length: 40 }, (_, day) => night(day, [scenario("pays"), scenario("x".repeat(9000))]))
      yield* Effect.forEach(nights, (one) => NightFile.append(path, one), { concurrency: "unbounded" })
      assert.deepStrictEqual((yield* NightFile.read(path)).nights, nights)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("starts a new line after a truncated one", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* file
      yield* NightFile.append(path, one)
      yield* fs.writeFileString(path, JSON.stringify(two).slice(0, 50), { flag: "a" })
      yield* NightFile.append(path, three)
      const past = yield* NightFile.read(path)
      assert.deepStrictEqual(past.nights, [one, three])
      assert.deepStrictEqual(past.warnings, [`${path} line 2 was skipped: it is incomplete.`])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("gives a run the scenarios of recent nights only, and all decisions", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* file
      const away = (day: number) => {
        const { id: _, fingerprint, ...of } = night(day, [scenario("pays")])
        return withId({ ...of, fingerprint: { ...fingerprint, target: "https://your.service" } })
      }
      const here = Array.from({ length: 5 }, (_, day) => night(day, [scenario("pays"), scenario("naïve")]))
      yield* NightFile.prepare(path)
      // joined by a merge: not in the order of time, twice, and two on one line
      const content = text(...here.slice(3), away(0), ...here) + text(away(1)).trim() + text(accepted)
      yield* fs.writeFileString(path, content)
      const past = yield* NightFile.readRecent(path, 2)
      const all = yield* NightFile.read(path)
      const withoutScenarios = new Set(here.slice(0, 3).map(({ id }) => id))
      assert.deepStrictEqual(past, {
        ...all,
        nights: all.nights.map((one) => (withoutScenarios.has(one.id) ? { ...one, scenarios: [] } : one))
      })
      assert.lengthOf(past.nights, 7)
      assert.deepStrictEqual(past.accepted, [accepted])
      yield* fs.writeFileString(path, `no night\n${content}`)
      const { message } = yield* Effect.flip(NightFile.readRecent(path))
      assert.include(message, "line 1 is not a line of a history")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect("that can't be read is reported in a sentence", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* fs.makeTempDirectoryScoped()
      const mistake = yield* Effect.flip(NightFile.read(directory))
      assert.strictEqual(mistake.message, `--history: cannot read the history: ${directory} is a folder, not a file.`)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
