import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { join } from "node:path"
import * as ThresholdFile from "../src/ThresholdFile.ts"

const closest = (name: string, known: ReadonlyArray<string>) =>
  known.find((other) => other.startsWith(name.slice(0, 8)))

const read = (limits: unknown) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const file = join(yield* fs.makeTempDirectoryScoped(), "limits.json")
    yield* fs.writeFileString(file, JSON.stringify(limits))
    return yield* ThresholdFile.read(file, closest)
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

describe("read", () => {
  it.effect("accepts limits on metrics of k6 and of our own, including those of one operation", () =>
    Effect.gen(function* () {
      const limits = {
        time_to_terminal: ["p(95)<3000", "p(99.9)<9000", "med<=10"],
        "http_req_duration{name:v4.getRun}": ["max<100"],
        checks: ["rate>0.99"],
        runs_lost: ["count==0"],
        vus: ["value<100"]
      }
      assert.deepStrictEqual(yield* read(limits), limits)
    })
  )

  it.effect("accepts limits as JSON text", () =>
    Effect.gen(function* () {
      const limits = { time_to_terminal: ["p(95)<3000"] }
      assert.deepStrictEqual(yield* ThresholdFile.read(JSON.stringify(limits), closest), limits)
      const { message } = yield* Effect.flip(ThresholdFile.read('{"walks":["count>0"]}', closest))
      assert.match(message, /^thresholds: unknown metric "walks"\. Known metrics: /u)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  for (const [what, limits, sentence] of [
    [
      "a metric that no load test has",
      { http_req_durations: ["p(95)<100"] },
      /limits\.json: unknown metric "http_req_durations"\. Did you mean http_req_blocked\?$/u
    ],
    [
      "a metric like no other",
      { walks: ["count>0"] },
      /limits\.json: unknown metric "walks"\. Known metrics: checks, .*, iterations_failed\.$/u
    ],
    [
      "a statistic that the metric has not",
      { time_to_terminal: ["rate<0.01"] },
      /limits\.json: time_to_terminal is a trend, so "rate<0\.01" must begin with avg, min, med, max, p\(N\)\.$/u
    ],
    [
      "a limit that cannot be read",
      { checks: ["above 3"] },
      /expected a limit such as "p\(95\)<200", .* got "above 3"/u
    ]
  ] as const) {
    it.effect(`refuses ${what} in one sentence`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(read(limits))
        assert.match(error.message, sentence)
      })
    )
  }
})
