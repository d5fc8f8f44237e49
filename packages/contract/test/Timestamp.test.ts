import { assert, describe, it } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { fromMillis, naiveFromMillis, NaiveTimestamp, Timestamp, toDateTime } from "../src/Timestamp.ts"

const noon_ms = Date.UTC(2026, 4, 1, 12, 0, 0, 250)
const epochMillis = (text: string) => Option.map(toDateTime(text), DateTime.toEpochMillis)

describe("Timestamp", () => {
  it("reads a time without a zone as UTC, whatever the zone of this machine", () => {
    assert.deepStrictEqual(epochMillis("2026-05-01T12:00:00.250000"), Option.some(noon_ms))
    assert.deepStrictEqual(epochMillis("2026-05-01T12:00:00.250Z"), Option.some(noon_ms))
    assert.deepStrictEqual(epochMillis("2026-05-01T14:00:00.250+02:00"), Option.some(noon_ms))
    assert.deepStrictEqual(epochMillis("2026-05-01t12:00:00.250z"), Option.some(noon_ms))
  })

  it("refuses text that isn't a time", () => {
    assert.deepStrictEqual(toDateTime("yesterday"), Option.none())
    assert.deepStrictEqual(toDateTime("2026-13-41T99:00:00"), Option.none())
  })

  it("writes task times naive and the others with Z, and reads both back", () => {
    assert.strictEqual(naiveFromMillis(noon_ms), "2026-05-01T12:00:00.250000")
    assert.strictEqual(fromMillis(noon_ms), "2026-05-01T12:00:00.250Z")
    assert.deepStrictEqual(epochMillis(naiveFromMillis(noon_ms)), epochMillis(fromMillis(noon_ms)))
  })

  it("writes each of thousands of instants, before and after all others", () => {
    const instants = Array.from({ length: 2500 }, (_, index) => noon_ms + index)
    for (const epoch_ms of [...instants, ...instants]) {
      assert.strictEqual(fromMillis(epoch_ms), new Date(epoch_ms).toISOString())
    }
  })

  it("decodes the formats that services send, and refuses anything else", () => {
    for (const schema of [Timestamp, NaiveTimestamp]) {
      const is = Schema.is(schema)
      for (const text of [
        "2026-05-01T12:00:00",
        "2026-05-01T12:00:00.1",
        "2026-05-01T12:00:00Z",
        "2026-05-01t12:00:00z"
      ])
        assert.isTrue(is(text))
      for (const text of ["2026-05-01", "12:00", "2026-05-01 12:00:00", ""]) assert.isFalse(is(text), text)
    }
  })
})
