import { assert, describe, it } from "@effect/vitest"
import { nextAfter, readCron } from "../../src/domain/ScheduledRun.ts"

const cronOf = (text: string, timeZone: string) => {
  const cron = readCron(text, timeZone)
  return typeof cron === "string" ? assert.fail(cron) : cron
}

/** The next times of an expression, in UTC. */
const timesOf = (text: string, timeZone: string, from: string, count: number) => {
  const cron = cronOf(text, timeZone)
  const times: Array<string> = []
  let at_ms = Date.parse(from)
  for (let left = count; left > 0; left--) {
    at_ms = nextAfter(cron, at_ms) ?? assert.fail("There is no further time")
    times.push(new Date(at_ms).toISOString())
  }
  return times
}

describe("a cron expression", () => {
  it("names times in its zone", () => {
    assert.deepStrictEqual(timesOf("30 6 * * 1-5", "Europe/Berlin", "2026-11-27T12:00:00Z", 2), [
      "2026-11-30T05:30:00.000Z",
      "2026-12-01T05:30:00.000Z"
    ])
    assert.deepStrictEqual(timesOf("30 6 * * *", "UTC", "2026-11-27T06:30:00Z", 1), ["2026-11-28T06:30:00.000Z"])
  })

  it("names a time once when clocks are turned back", () => {
    // 02:30 is there twice in Berlin on October 25
    assert.deepStrictEqual(timesOf("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2), [
      "2026-10-25T00:30:00.000Z",
      "2026-10-26T01:30:00.000Z"
    ])
  })

  it("keeps its interval when clocks change, unless it names hours", () => {
    const times = (text: string, from: string, count: number) =>
      timesOf(text, "Europe/Berlin", from, count).map((time) => time.slice(8, 16))
    for (const hours of ["*", "*/1", "0-23/1", "0-23"]) {
      const [hourly, halfHourly] = [`0 ${hours} * * *`, `*/30 ${hours} * * *`]
      const autumn = ["25T00:00", "25T01:00", "25T02:00"]
      assert.deepStrictEqual(times(hourly, "2026-10-24T23:30:00Z", 3), autumn)
      const halves = ["25T00:00", "25T00:30", "25T01:00", "25T01:30", "25T02:00"]
      assert.deepStrictEqual(times(halfHourly, "2026-10-24T23:30:00Z", 5), halves)
      assert.deepStrictEqual(times(hourly, "2026-03-28T23:30:00Z", 3), ["29T00:00", "29T01:00", "29T02:00"])
      const spring = ["29T00:00", "29T00:30", "29T01:00", "29T01:30", "29T02:00"]
      assert.deepStrictEqual(times(halfHourly, "2026-03-28T23:30:00Z", 5), spring)
    }
    assert.deepStrictEqual(times("*/30 2,5 * * *", "2026-10-24T23:30:00Z", 3), ["25T00:00", "25T00:30", "25T04:00"])
  })

  it("uses a time that doesn't exist an hour later", () => {
    assert.deepStrictEqual(timesOf("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2), [
      "2026-03-29T01:30:00.000Z",
      "2026-03-30T00:30:00.000Z"
    ])
  })

  it("keeps the local time when clocks are turned forward", () => {
    assert.deepStrictEqual(timesOf("0 6 * * *", "America/New_York", "2026-03-07T12:00:00Z", 2), [
      "2026-03-08T10:00:00.000Z",
      "2026-03-09T10:00:00.000Z"
    ])
  })

  it("is refused with a reason if it's invalid", () => {
    for (const [text, timeZone, problem] of [
      ["* * * * * *", "UTC", "Expected five fields"],
      ["0 6 * *", "UTC", "Expected five fields"],
      ["0 6 * * 1-5", "Mars/Olympus", "There is no time zone Mars/Olympus"],
      ["61 6 * * *", "UTC", "The cron expression can't be read. Expected a value between 0 and 59"]
    ] as const) {
      assert.include(readCron(text, timeZone), problem)
    }
  })

  it("may match no time at all", () => {
    assert.isNull(nextAfter(cronOf("0 0 30 2 *", "UTC"), 0))
  })
})
