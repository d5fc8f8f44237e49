import { assert, describe, it } from "@effect/vitest"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Terminal from "effect/Terminal"
import * as Option from "effect/Option"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { passedText, statusWords } from "@webagent/findings/words/Title"
import { begin } from "./inProcess.ts"

const failed = statusWords.failed.toUpperCase()
const passedOf = (passed: number, ran: number) => `(${passedText({ findings: [], passed, ran })})`

/** Watches a suite of two scenarios at a terminal; one of them fails. */
const watch = () => {
  const folder = mkdtempSync(join(tmpdir(), "webagent-keys-"))
  const suite = join(folder, "keys.suite.ts")
  writeFileSync(
    suite,
    `import { check, scenario, Suite } from "@webagent/scenario"
const one = (name: string, ok: boolean) => scenario(name, function* () { yield* check.isTrue(ok, name) })
export default Suite.make("keys", [one("holds", true), one("fails", false)])
`
  )
  const input = Effect.runSync(Queue.unbounded<Terminal.UserInput, Cause.Done>())
  const press = (name: string) => {
    const key = { name, ctrl: false, meta: false, shift: false }
    Queue.offerUnsafe(input, { input: Option.none(), key })
  }
  const terminal = Terminal.make({
    columns: Effect.succeed(80),
    rows: Effect.succeed(24),
    size: Effect.never,
    readInput: Effect.succeed(input),
    readLine: Effect.never,
    display: () => Effect.void
  })
  const watching = begin(["run", suite, "--watch"], {}, { stdinIsTerminal: Effect.succeed(true) }, terminal)
  /** Waits for the end of a run, the how-manieth. */
  const ended = async (count: number) => {
    for (;;) {
      const ends = (await watching.says(failed)).match(new RegExp(`^${failed}.*$`, "gmu")) ?? []
      if (ends.length >= count) return ends[count - 1] ?? ""
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  const over = watching.ended.finally(() => rmSync(folder, { recursive: true }))
  return { ended, input, over, press }
}

describe("run --watch in a terminal", () => {
  it("runs all with a, failures with f, the same with Enter, and quits with q", async () => {
    const { ended, over, press } = watch()
    assert.include(await ended(1), passedOf(1, 2))
    press("x")
    press("f")
    assert.include(await ended(2), passedOf(0, 1))
    press("return")
    assert.include(await ended(3), passedOf(0, 1))
    press("a")
    assert.include(await ended(4), passedOf(1, 2))
    press("q")
    const { code, stdout } = await over
    assert.strictEqual(code, 0)
    assert.include(stdout, "keys: a all, f failed, Enter again, q quit")
  })

  it("exits with 130 on Ctrl-C, which closes the input", async () => {
    const { ended, input, over } = watch()
    await ended(1)
    Queue.endUnsafe(input)
    assert.strictEqual((await over).code, 130)
  })
})
