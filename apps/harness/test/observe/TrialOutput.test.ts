import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Printed } from "@webagent/report/Trial"
import * as TrialLog from "../../src/observe/TrialLog.ts"
import * as TrialOutput from "../../src/observe/TrialOutput.ts"
import { traced } from "../../src/observe/TrialTracer.ts"

const redact = (text: string) => text.replaceAll("wak_secret", "<key>")

/** What a trial prints, and what of it is shown. */
const printed = Effect.fnUntraced(function* (trials: Readonly<Record<string, Effect.Effect<unknown>>>) {
  const lines: Array<string> = []
  const logs = Object.keys(trials).map((name) => TrialLog.make(name))
  const all = Effect.forEach(
    Object.values(trials),
    (trial, index) => Effect.provideService(trial, TrialLog.TrialLog, logs[index] ?? TrialLog.make()),
    { concurrency: "unbounded", discard: true }
  )
  const show: TrialOutput.Show = (stream, text, trial) =>
    void lines.push(`${stream} ${TrialOutput.attributed(text, trial)}`)
  yield* TrialOutput.captured(show)(traced(all))
  return { lines, outputs: logs.map((log) => TrialOutput.of(log, redact)) }
})

describe("the output of trials", () => {
  it.live("is attributed to them, even if they run at the same time, and the console is restored", () =>
    Effect.gen(function* () {
      const { log, table } = console
      const trial = (name: string) =>
        Effect.gen(function* () {
          console.log("%d %s mugs", 2, name, { key: "wak_secret" })
          yield* Effect.sleep("5 millis")
          yield* Effect.logInfo(`sent ${name}`)
          yield* Effect.promise(async () => {
            await new Promise((resolve) => setTimeout(resolve, 5))
            console.error(`${name}\nbroke`)
          })
          yield* Effect.yieldNow
          console.dir(name)
        })
      const { lines, outputs } = yield* printed({ a: trial("red"), b: trial("blue") })
      const outputOf = (name: string): ReadonlyArray<Printed> => [
        { stream: "stdout", text: `2 ${name} mugs { key: '<key>' }\ninfo  sent ${name}\n` },
        { stream: "stderr", text: `${name}\nbroke\n` },
        { stream: "stdout", text: `'${name}'\n` }
      ]
      assert.deepStrictEqual(outputs, [outputOf("red"), outputOf("blue")])
      assert.include(lines, "stderr a: red\na: broke\n")
      assert.include(lines, "stdout b: info  sent blue\n")
      assert.deepStrictEqual([console.log, console.table], [log, table])
    })
  )

  it.live("is limited, and mentions how much is missing", () =>
    Effect.gen(function* () {
      const { outputs } = yield* printed({
        loud: Effect.sync(() => {
          for (let line = 0; line < 100_000; line++) console.log("a mug")
        })
      })
      const [text = "", ...more] = outputs.flat().map(({ text }) => text)
      assert.lengthOf(more, 0)
      assert.isBelow(text.length, 16_500)
      assert.match(text, /\n\(and 583,616 more characters\)$/u)
    })
  )

  it.effect("is unchanged outside of trials", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const show: TrialOutput.Show = (stream, text, trial) => void lines.push(`${stream} ${trial} ${text}`)
      const run = Effect.suspend(() => {
        console.warn("careful")
        return Effect.fail("stopped")
      })
      assert.strictEqual(yield* Effect.flip(TrialOutput.captured(show)(run)), "stopped")
      assert.deepStrictEqual(lines, ["stderr undefined careful\n"])
    })
  )
})
