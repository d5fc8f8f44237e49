import { assert, describe, it } from "@effect/vitest"
import type { StandardSchema } from "@webagent/v4"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { check, CheckCount, type CheckFailed, Oracle, OracleCount, type RawAnswer } from "../src/index.ts"

const answer = (status: number, text: string): RawAnswer => ({
  status,
  headers: {},
  body: undefined,
  text,
  request: { method: "GET", path: "/api/v4/runs/1" }
})

/** The effect's failure as the report shows it, with how often it counted. */
const failing = <A>(effect: Effect.Effect<A, CheckFailed>) => {
  const count = { passed: 0, failed: 0 }
  return effect.pipe(
    Effect.flip,
    Effect.provideService(CheckCount, count),
    Effect.map(({ actual, expected, name, where }) => ({ shown: [name, expected, actual], where, count }))
  )
}

describe("check", () => {
  const failures: ReadonlyArray<
    readonly [string, () => Effect.Effect<unknown, CheckFailed>, readonly [string, string, string]]
  > = [
    ["equal", () => check.equal<unknown>("a", "b", "the letter"), ["the letter", '"b"', '"a"']],
    ["equal on NaN and zeros", () => check.equal(0, -0), ["the value", "0", "0"]],
    [
      "deepEqual below",
      () => check.deepEqual<unknown>({ a: [1, { b: 2 }] }, { a: [1, { b: "2" }] }),
      ["the value", '"2" at .a[1].b', "2 at .a[1].b"]
    ],
    [
      "deepEqual with an extra field",
      () => check.deepEqual<unknown>({ "odd key": 1 }, {}),
      ["the value", 'undefined at ["odd key"]', '1 at ["odd key"]']
    ],
    [
      "deepEqual with an undefined field",
      () => check.deepEqual<unknown>({ a: undefined }, {}),
      ["the value", "undefined at .a", "undefined at .a"]
    ],
    ["deepEqual of a list and an object", () => check.deepEqual<unknown>([], {}), ["the value", "{}", "[]"]],
    ["isTrue", () => check.isTrue(false, "it is open"), ["it is open", "true", "false"]],
    ["match", () => check.match("abc", /^b/u, "the word"), ["the word", "text like ^b", '"abc"']],
    ["match of a number", () => check.match(5, /5/u, "the word"), ["the word", "text like 5", "5"]],
    ["match of undefined", () => check.match(undefined, /b/u, "the word"), ["the word", "text like b", "undefined"]],
    [
      "status",
      () => check.status(answer(404, '{"detail":"Run not found"}'), 200),
      ["GET /api/v4/runs/1", "HTTP 200", 'HTTP 404 {"detail":"Run not found"}']
    ],
    [
      "status from several",
      () => check.status(answer(500, ""), [200, 201]),
      ["GET /api/v4/runs/1", "HTTP 200 or 201", "HTTP 500"]
    ],
    ["status in a class", () => check.status(answer(500, ""), "4xx"), ["GET /api/v4/runs/1", "HTTP 4xx", "HTTP 500"]],
    ["that", () => check.that("the shop is open", false), ["the shop is open", "it to hold", "it does not"]],
    [
      "that with an actual value",
      () => check.that("a price", false, { expected: "a number", actual: { price: null } }),
      ["a price", "a number", '{"price":null}']
    ],
    [
      "fails for an effect that succeeds",
      () => check.fails(Effect.succeed(1), "Boom"),
      ["an error Boom", "Boom", "success: 1"]
    ],
    [
      "oracle",
      () => check.oracle("the order exists", Effect.succeed(Oracle.refuted("one order", "none"))),
      ["the order exists", "one order", "none"]
    ]
  ]

  for (const [what, make, shown] of failures) {
    it.effect(`shows the expected and actual value of ${what}`, () =>
      Effect.gen(function* () {
        const failure = yield* failing(make())
        assert.deepStrictEqual<ReadonlyArray<string>>(failure.shown, shown)
        assert.match(failure.where ?? "", /^test\/Check\.test\.ts:\d+$/u)
        assert.deepStrictEqual(failure.count, { passed: 0, failed: 1 })
      })
    )
  }

  it.effect("shows the difference of two objects or long texts, but not of short values", () =>
    Effect.gen(function* () {
      const diffOf = (failing: Effect.Effect<unknown, CheckFailed>) =>
        Effect.map(Effect.flip(failing), (failure) => failure.diff)
      assert.deepStrictEqual(yield* diffOf(check.deepEqual({ a: 1, b: 2 }, { a: 1, b: 3 })), [
        "  {",
        "    a: 1",
        "-   b: 3",
        "+   b: 2",
        "  }"
      ])
      assert.deepStrictEqual(yield* diffOf(check.equal("one\ntwo", "one\nthree")), ["  one", "- three", "+ two"])
      assert.isUndefined(yield* diffOf(check.equal("a", "b")))
    })
  )

  it.effect("deepEqual compares dates, maps, sets, errors and cyclic values", () =>
    Effect.gen(function* () {
      const loop = (word: string) => {
        const made: { word: string; self?: unknown } = { word }
        made.self = made
        return made
      }
      const makers: ReadonlyArray<(word: string) => unknown> = [
        (word) => new Date(`2026-11-2${word.length}`),
        (word) => new Map([[1, word]]),
        (word) => new Set([word]),
        (word) => new Error(word),
        (word) => new URL(`http://${word}.test`),
        loop
      ]
      for (const make of makers) {
        yield* check.deepEqual({ in: [make("a")] }, { in: [make("a")] })
        const { shown } = yield* failing(check.deepEqual({ in: [make("a")] }, { in: [make("bc")] }))
        assert.match(shown[2] ?? "", / at \.in\[0\]/u)
      }
      yield* failing(check.deepEqual<unknown>(new Date(0), {}))
    })
  )

  it.effect("where is the line of the check", () =>
    Effect.gen(function* () {
      const line = Number(/:(\d+):\d+\)?$/u.exec(new Error().stack?.split("\n")[1] ?? "")?.[1])
      const { where } = yield* failing(check.isTrue(false))
      assert.strictEqual(where, `test/Check.test.ts:${line + 1}`)
    })
  )

  it.effect("schema returns the decoded value, or names every issue", () =>
    Effect.gen(function* () {
      const Price = Schema.Struct({ price: Schema.NumberFromString, shop: Schema.String })
      assert.deepStrictEqual(yield* check.schema(Price, { price: "12", shop: "x" }), { price: 12, shop: "x" })
      const { shown } = yield* failing(check.schema(Price, { price: 12 }))
      assert.include(shown[1], "price")
      assert.include(shown[1], "shop")
      assert.strictEqual(shown[2], '{"price":12}')
    })
  )

  it.effect("schema accepts a schema of another library, and names every issue", () =>
    Effect.gen(function* () {
      type Validate = StandardSchema<number>["~standard"]["validate"]
      const price = (validate: Validate): StandardSchema<number> => ({
        "~standard": { version: 1, vendor: "test", validate }
      })
      assert.strictEqual(
        (yield* check.schema(
          price((value) => ({ value: Number(value) })),
          "12"
        )) + 1,
        13
      )
      const issues = [{ message: "Too small", path: ["offer", { key: "price" }] }, { message: "No shop" }]
      const { shown } = yield* failing(
        check.schema(
          price(() => ({ issues })),
          { price: -1 }
        )
      )
      assert.deepStrictEqual(shown.slice(1), ["offer.price: Too small; No shop", '{"price":-1}'])
      const waiting = yield* Effect.exit(
        check.schema(
          price(() => Promise.resolve({ value: 1 })),
          1
        )
      )
      assert.include(Exit.isFailure(waiting) && Cause.pretty(waiting.cause), "validates without waiting")
    })
  )

  it.effect("fails returns the error, and distinguishes it from another one", () =>
    Effect.gen(function* () {
      const closed = Effect.fail({ _tag: "Closed", until: 9 } as const)
      assert.strictEqual((yield* check.fails(closed, "Closed")).until, 9)
      const { shown } = yield* failing(check.fails(closed, "Open"))
      assert.deepStrictEqual(shown, ["an error Open", "Open", '{"_tag":"Closed","until":9}'])
    })
  )

  it.effect("counts passed checks", () =>
    Effect.gen(function* () {
      const count = { passed: 0, failed: 0 }
      yield* Effect.all([
        check.equal(1, 1),
        check.equal(Number.NaN, Number.NaN),
        check.deepEqual({ a: [null] }, { a: [null] }),
        check.isTrue(true),
        check.match("abc", /b/u),
        check.status(answer(201, ""), "2xx"),
        check.that("it holds", true),
        check.oracle(
          "it is so",
          Oracle.make(Effect.succeed(3), (found) => Oracle.holds(`found ${found}`))
        )
      ]).pipe(Effect.provideService(CheckCount, count))
      assert.deepStrictEqual(count, { passed: 8, failed: 0 })
    })
  )

  it.effect("oracle fails with its own error if it can't look, and counts as neither held nor refuted", () =>
    Effect.gen(function* () {
      const count = { held: 0, refuted: 0, unable: [] }
      const asked = (oracle: Oracle.Oracle<string>) =>
        Effect.exit(Effect.provideService(check.oracle("the order exists", oracle), OracleCount, count))
      const exit = yield* asked(Effect.fail("no database"))
      assert.deepStrictEqual(exit, Exit.fail("no database"))
      yield* asked(Effect.succeed(Oracle.holds("it is there")))
      yield* asked(Effect.succeed(Oracle.refuted("one order", "none")))
      assert.deepStrictEqual<unknown>(count, { held: 1, refuted: 1, unable: ["no database"] })
    })
  )
})
