import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { systemError } from "effect/PlatformError"
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

it.effect("a folder that became read-only is reported once for all reports, and another failure separately", () =>
  Effect.gen(function* () {
    const refused = (path: string) => () =>
      Promise.reject(
        systemError({
          _tag: "PermissionDenied",
          module: "FileSystem",
          method: "writeFile",
          pathOrDescriptor: path,
          cause: Object.assign(new Error("refused"), { code: "EACCES" })
        })
      )
    const all = [
      yield* Reporting.startOne("json", { name: "json", onOutageStarted: refused("r/report.json") }),
      yield* Reporting.startOne("junit", { name: "junit", onOutageStarted: refused("r/junit.xml") }),
      yield* Reporting.startOne("html", { name: "html", onOutageStarted: refused("r/report.html") }),
      yield* Reporting.startOne("./own.ts", {
        name: "own",
        onOutageStarted: () => Promise.reject(new Error("no table"))
      })
    ]
    const outage = { from: "2026-11-24T21:00:00Z", until: null }
    for (const { queue } of all) yield* Queue.offer(queue, { _tag: "OutageStarted", outage } as never)
    const { message } = yield* Effect.flip(Reporting.endAll(all))
    assert.deepStrictEqual(message.split("\n"), [
      "The report cannot be written: no permission to use r/report.json. The same is true of 2 other reports.",
      "Reporter ./own.ts failed: no table."
    ])
  }).pipe(Effect.provide(NodeServices.layer))
)
