import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { exitCodeOf, Lacking, lineOf, type Part, type Result, runParts, summaryOf } from "../src/Report.ts"

const part = (name: string, run: Part["run"], after: ReadonlyArray<string> = [], lane = "one"): Part => ({
  name,
  lane,
  after,
  run
})

const results = (parts: ReadonlyArray<Part>, limit_s = 60) => runParts(parts, { limit_s, onResult: () => undefined })

describe("runParts", () => {
  it("distinguishes a failure from a part that the machine can't run, and skips parts that need either", async () => {
    const all = await results([
      part("images", () => Promise.reject(new Error("docker build exited with 1"))),
      part("server", () => Promise.resolve("ran"), ["images"]),
      part("cluster", () => Promise.reject(new Lacking("etcd is not on the PATH."))),
      part("arm64", () => Promise.resolve("143 packages"))
    ])
    assert.deepStrictEqual(
      all.map((result) => lineOf(result).replace(/ \(\d+ s\)$/u, "")),
      [
        "FAILED   images: docker build exited with 1",
        'skipped  server: the part "images" did not pass',
        "skipped  cluster: etcd is not on the PATH.",
        "passed   arm64: 143 packages"
      ]
    )
    assert.strictEqual(summaryOf(all), "1 passed, 1 failed, 2 skipped")
    assert.strictEqual(exitCodeOf(all, false), 1)
  })

  it("runs lanes at the same time, and waits for the required parts of another lane", async () => {
    const started: Array<string> = []
    const builds = Promise.withResolvers<void>()
    const note =
      (name: string, until: Promise<unknown> = Promise.resolve()) =>
      async () => {
        started.push(name)
        await until
        return ""
      }
    const finished: Array<string> = []
    const all = await runParts(
      [
        part("server images", note("server images")),
        // continues only once a part of the other lane has started
        part("harness images", note("harness images", builds.promise), [], "two"),
        part("server", async () => {
          builds.resolve()
          return note("server")()
        }),
        part("harness", note("harness"), ["server images", "harness images"], "two")
      ],
      { limit_s: 60, onResult: ({ part }) => finished.push(part) }
    )
    assert.deepStrictEqual(started, ["server images", "harness images", "server", "harness"])
    assert.strictEqual(finished.at(-1), "harness")
    assert.deepStrictEqual(
      all.map(({ _tag, part }) => [_tag, part]),
      ["server images", "harness images", "server", "harness"].map((name) => ["Passed", name])
    )
  })

  it("fails a part that exceeds the time limit, and later ones", async () => {
    const all = await results(
      [
        part("images", async (signal) => {
          await sleep(60_000, undefined, { signal })
          return ""
        }),
        part("arm64", () => Promise.resolve(""))
      ],
      0.05
    )
    assert.deepStrictEqual(
      all.map(({ _tag }) => _tag),
      ["Failed", "Failed"]
    )
    assert.include(all.map(lineOf)[1] ?? "", "--minutes")
  })
})

describe("an interrupted test", () => {
  it("fails the running part and later ones", async () => {
    const interrupted = new AbortController()
    const all = await runParts(
      [
        part("images", async (signal) => {
          interrupted.abort()
          await sleep(60_000, undefined, { signal })
          return ""
        }),
        part("arm64", () => Promise.resolve(""))
      ],
      { limit_s: 60, signal: interrupted.signal, onResult: () => undefined }
    )
    assert.deepStrictEqual(all.map(lineOf), [
      "FAILED   images: the test was interrupted",
      "FAILED   arm64: the test was interrupted"
    ])
  })
})

describe("exitCodeOf", () => {
  const skipped: Result = { _tag: "Skipped", part: "cluster", reason: "no etcd" }

  it("accepts skipped parts, unless each one is required", () => {
    assert.strictEqual(exitCodeOf([skipped], false), 0)
    assert.strictEqual(exitCodeOf([skipped], true), 1)
  })
})
