import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { Span } from "../src/index.ts"

const decode = Schema.decodeUnknownExit(Span)
const encode = Schema.encodeSync(Span)

describe("Span", () => {
  for (const [text, ms] of [
    ["200ms", 200],
    ["0 millis", 0],
    ["1.5 seconds", 1500],
    ["45s", 45_000],
    ["30 minutes", 1_800_000],
    ["2h", 7_200_000],
    ["1 day", 86_400_000],
    ["36500 days", 3_153_600_000_000]
  ] as const) {
    it(`reads ${text} as ${ms} ms`, () => assert.deepStrictEqual(decode(text), Exit.succeed(Duration.millis(ms))))
  }

  for (const text of [
    "",
    "200",
    "5 fortnights",
    "-1s",
    "1e3ms",
    " 1s",
    "1s ",
    "1  s",
    ".5s",
    "Infinity s",
    "36501 days",
    `${"9".repeat(400)}d`,
    5,
    null
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => assert.isTrue(Exit.isFailure(decode(text))))
  }

  it("writes a span that is too short for a timer as zero", () =>
    assert.strictEqual(encode(Duration.millis(1e-7)), "0 millis"))

  it.prop(
    "reads back the spans that it writes",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e10 }))],
    ([ms]) => assert.deepStrictEqual(decode(encode(Duration.millis(ms))), Exit.succeed(Duration.millis(ms))),
    { arbitrary: { seed: 1 } }
  )
})
