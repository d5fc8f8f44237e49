import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { exitCodeOf, Lacking, lineOf, type Part, type Result, runParts, summaryOf } from "../src/Report.ts"

const part = (name: string, run: Part["run"], after: ReadonlyArray<string> = []): Part => ({ name, after, run })

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
