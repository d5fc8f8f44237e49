import { assert, describe, it } from "@effect/vitest"
import { strFromU8, unzipSync } from "fflate"
import { archiveOf } from "../../src/features/run/archive.ts"
import { hostile, makeWorld } from "../server/World.ts"

const world = makeWorld(10)
const run = [...world.runs.values()].find(({ status }) => status === "completed")
if (run === undefined) throw new Error("The world has no completed run")
const parts = {
  run: world.details({ ...run, task: hostile[0], result: { price: 89 } }),
  markdown: "# Run",
  steps: world.stepsOf(run),
  calls: world.callsOf(run),
  pictures: new Map([
    [1, Uint8Array.of(1, 2, 3)],
    [9, Uint8Array.of(9)]
  ]),
  recording: { name: "recording.webm", bytes: Uint8Array.of(7, 7) }
}

describe("a run's ZIP file", () => {
  it("has the run, its result, steps, model calls, pictures and recording, under distinct names", () => {
    const files = unzipSync(archiveOf(parts))
    assert.deepStrictEqual(Object.keys(files).toSorted(), [
      "model-calls.json",
      "pictures/step-0001.jpg",
      "pictures/step-0009.jpg",
      "recording.webm",
      "result.json",
      "run.json",
      "run.md",
      "steps.json"
    ])
    const read = (name: string): unknown => JSON.parse(strFromU8(files[name] ?? new Uint8Array()))
    assert.deepStrictEqual(read("run.json"), parts.run)
    assert.deepStrictEqual(read("result.json"), { price: 89 })
    assert.deepStrictEqual(read("steps.json"), parts.steps)
    assert.deepStrictEqual([...(files["pictures/step-0001.jpg"] ?? [])], [1, 2, 3])
    assert.deepStrictEqual([...(files["recording.webm"] ?? [])], [7, 7])
  })

  it("has the same bytes each time", () => {
    assert.deepStrictEqual(archiveOf(parts), archiveOf(parts))
  })

  it("stores a text result as text, and omits the result of a run without one", () => {
    const text = unzipSync(archiveOf({ ...parts, run: { ...parts.run, result: "89 EUR" }, recording: null }))
    assert.strictEqual(strFromU8(text["result.txt"] ?? new Uint8Array()), "89 EUR")
    const none = unzipSync(archiveOf({ ...parts, run: { ...parts.run, result: null } }))
    assert.notInclude(Object.keys(none).join(), "result")
  })
})
