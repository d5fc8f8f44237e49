import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Span from "../src/Span.ts"

describe("Span", () => {
  it.each([
    ["200ms", 200],
    ["1.5 s", 1500],
    ["0 seconds", 0],
    ["45 minutes", 2_700_000],
    ["1d", 86_400_000],
    ["5", undefined],
    ["-1s", undefined],
    ["soon", undefined]
  ])("reads %s as %s ms", (text, expected_ms) =>
    assert.strictEqual(Option.getOrUndefined(Option.map(Span.parse(text), Duration.toMillis)), expected_ms)
  )
})
