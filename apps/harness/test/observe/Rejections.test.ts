import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Rejections from "../../src/observe/Rejections.ts"
import * as TrialLog from "../../src/observe/TrialLog.ts"
import { traced } from "../../src/observe/TrialTracer.ts"
import * as Unawaited from "../../src/observe/Unawaited.ts"

const rejects = (text: string) => Effect.sync(() => void Promise.reject(new Error(text)))

describe("rejections of several commands in one process", () => {
  it.live("are passed to the command whose trial caused them, before and after its end", () =>
    Effect.gen(function* () {
      const commands = [yield* Unawaited.collect, yield* Unawaited.collect] as const
      const logs = [TrialLog.make("a"), TrialLog.make("b")] as const
      const trial = (log: TrialLog.TrialLog, text: string) =>
        rejects(text).pipe(Effect.provideService(TrialLog.TrialLog, log), traced)
      const heard = Effect.forEach(commands, ({ breaches }) =>
        Effect.map(breaches, (some) => some.map(({ facts }) => facts))
      )

      yield* trial(logs[0], "in time")
      assert.deepStrictEqual(yield* heard, [[], []])
      assert.lengthOf(logs[0].rejections, 1)
      logs[0].rejections.length = 0
      for (const index of [0, 1] as const) commands[index].ended(logs[index])
      yield* trial(logs[1], "late")
      assert.deepStrictEqual(yield* heard, [[], [{ _tag: "PromiseNotAwaited", scenario: "b", error: "Error: late" }]])
    })
  )

  it.live("need one listener per process", () =>
    Effect.gen(function* () {
      yield* Unawaited.collect
      const listeners = process.listenerCount("unhandledRejection")
      yield* Effect.replicateEffect(Unawaited.collect, 20)
      assert.strictEqual(process.listenerCount("unhandledRejection"), listeners)
    })
  )

  it.live("are passed to the loader of a file while that loads", () =>
    Effect.gen(function* () {
      const command = yield* Unawaited.collect
      const files: Array<string> = []
      yield* Effect.promise(() =>
        Promise.all(
          ["a", "b"].map((file) =>
            Rejections.listenTo(
              (reason) => files.push(`${file}: ${String(reason)}`),
              async () => void Promise.reject(new Error(`of ${file}`))
            )
          )
        )
      )
      assert.deepStrictEqual(files, ["a: Error: of a", "b: Error: of b"])
      assert.deepStrictEqual(yield* command.breaches, [])
    })
  )
})
