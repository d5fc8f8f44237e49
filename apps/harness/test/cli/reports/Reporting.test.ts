import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as TestClock from "effect/testing/TestClock"
import * as Reporting from "../../../src/cli/reports/Reporting.ts"

it.effect("a reporter that never finishes is stopped 30 seconds after the run's end", () =>
  Effect.gen(function* () {
    const reporters = [
      yield* Reporting.startOne("./endless.ts", {
        name: "endless",
        onOutageStarted: () => new Promise<void>(() => undefined)
      }),
      yield* Reporting.startOne("./quick.ts", { name: "quick" })
    ]
    const outage = { from: "2026-11-24T21:00:00Z", until: null }
    for (const { queue } of reporters) yield* Queue.offer(queue, { _tag: "OutageStarted", outage } as never)
    const ended = yield* Effect.forkChild(Effect.flip(Reporting.endAll(reporters)))
    yield* TestClock.adjust("30 seconds")
    const { message } = yield* Fiber.join(ended)
    assert.strictEqual(message, "Reporter ./endless.ts failed: It didn't finish within 30 seconds of the run's end.")
  }).pipe(Effect.provide(NodeServices.layer))
)
