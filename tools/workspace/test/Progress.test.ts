import { assert, describe, it } from "vitest"
import { duration, Progress } from "../Progress.mjs"

/** A progress at a clock that the test moves, and what it wrote. */
const at = (stream: { readonly isTTY?: boolean; readonly columns?: number }, env: Record<string, string> = {}) => {
  let now = 0
  let text = ""
  const write = (more: string) => (text += more)
  const progress = new Progress({ env, now: () => now, stream: { ...stream, write } })
  const after = (seconds: number) => {
    now += seconds * 1000
    progress.tick()
  }
  const written = () => {
    const all = text
    text = ""
    return all
  }
  return { progress, after, written }
}

describe("Progress without a terminal", () => {
  it("shows what is running when nothing was printed for 15 seconds", () => {
    const { after, progress, written } = at({})
    progress.started("@webagent/v4")
    progress.expect(2)
    after(14)
    assert.strictEqual(written(), "")
    after(1)
    assert.strictEqual(written(), "        15.0 s: running @webagent/v4 15.0 s, 2 waiting\n")
    after(14)
    progress.ended("@webagent/v4", { ok: true, counts: { passed: 3, failed: 0, skipped: 0 } })
    assert.strictEqual(written(), "ok      @webagent/v4                 3 passed, 29.0 s\n")
    after(14)
    assert.strictEqual(written(), "")
  })

  it("shows how many tasks wait if none is running", () => {
    const { after, progress, written } = at({})
    progress.expect(2)
    after(15)
    assert.strictEqual(written(), "        15.0 s: 2 waiting\n")
  })

  it("writes no escape sequence", () => {
    const { after, progress, written } = at({})
    progress.started("v4")
    after(60)
    progress.failure("v4", { file: "a.test.ts", test: "one", why: "it broke\n\nhere" })
    progress.ended("v4", { ok: false, counts: { passed: 0, failed: 1, skipped: 1 } })
    assert.strictEqual(
      written(),
      `        1 min 0 s: running v4 1 min 0 s
FAILED  v4 > a.test.ts > one
    it broke

    here
FAILED  v4                           0 passed, 1 failed, 1 skipped, 1 min 0 s
`
    )
  })
})

describe("Progress on a terminal", () => {
  it("redraws one line below the finished tasks", () => {
    const { after, progress, written } = at({ isTTY: true, columns: 40 }, { NO_COLOR: "1" })
    progress.started("v4")
    after(1)
    assert.strictEqual(written(), "1.0 s: running v4 1.0 s")
    after(1)
    assert.strictEqual(written(), "\r\u001b[2K2.0 s: running v4 2.0 s")
    progress.line("a line")
    assert.strictEqual(written(), "\r\u001b[2Ka line\n2.0 s: running v4 2.0 s")
    progress.stop()
    assert.strictEqual(written(), "\r\u001b[2K")
  })

  it("keeps the line shorter than the terminal is wide", () => {
    const { after, progress, written } = at({ isTTY: true, columns: 20 })
    progress.started("a package with a long name")
    after(1)
    assert.strictEqual(written(), "1.0 s: running a...")
  })

  it("colors marks, unless NO_COLOR is set", () => {
    for (const [env, mark] of [
      [{}, "\u001b[32mok    \u001b[39m"],
      [{ NO_COLOR: "1" }, "ok    "]
    ] as const) {
      const { progress, written } = at({ isTTY: true }, env)
      progress.ended("types", { ok: true })
      assert.strictEqual(written(), `${mark}  types                        \n`)
    }
  })

  it("has no colors or redrawn lines in continuous integration", () => {
    const { after, progress, written } = at({ isTTY: true }, { CI: "true" })
    progress.started("v4")
    after(15)
    assert.strictEqual(written(), "        15.0 s: running v4 15.0 s\n")
  })
})

it("durations are printed in seconds, then in minutes and seconds", () => {
  assert.deepStrictEqual([0.04, 9.44, 59.96, 75.4].map(duration), ["0.0 s", "9.4 s", "1 min 0 s", "1 min 15 s"])
})
