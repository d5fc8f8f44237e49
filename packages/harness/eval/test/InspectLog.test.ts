import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "vitest"
import * as InspectLog from "../src/InspectLog.ts"
import { report } from "./reports.ts"

const log = InspectLog.of(
  { ...report, counts: {} as never },
  { model: "openai:x", instructionOf: (seed) => `Task ${seed}` }
)

it("makes a sample of each trial, with its score, its instruction and the steps that are stored", () => {
  const [passed, claimed] = log.samples
  assert.deepInclude(passed, { id: "eval-shop/order", epoch: 1, input: "Task 7", scores: { oracle: { value: "C" } } })
  assert.deepInclude(claimed?.scores?.oracle, { value: "I", answer: "no order", metadata: { claimed: true } })
  assert.deepStrictEqual(claimed?.messages, [
    { role: "user", content: "Task 8" },
    { role: "assistant", content: "Clicked Buy\nhttp://shop" }
  ])
  assert.deepInclude(claimed, { started_at: "2026-11-29T12:00:01.000Z", completed_at: "2026-11-29T12:00:01.500Z" })
  const unscored = log.samples.at(-1)
  assert.isNull(unscored?.scores)
  assert.strictEqual(unscored?.error?.message, "infra")
  assert.strictEqual(log.results.scores[0]?.metrics["accuracy"]?.value, 0.5)
})

/** A Python that has the package inspect-ai. */
const python = process.env["WEBAGENT_INSPECT_PYTHON"] ?? ""

const read = `
import sys
from inspect_ai.log import read_eval_log
log = read_eval_log(sys.argv[1])
print(log.status, len(log.samples), log.results.scores[0].metrics["accuracy"].value, log.samples[1].scores["oracle"].value)
`

it.runIf(python !== "")(
  "is read by Inspect (set WEBAGENT_INSPECT_PYTHON to a Python with inspect-ai)",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "inspect-"))
    const file = join(folder, "inspect.json")
    writeFileSync(file, JSON.stringify(log))
    const printed = execFileSync(python, ["-c", read, file], { encoding: "utf8" }).trim()
    rmSync(folder, { recursive: true })
    assert.strictEqual(printed, "success 6 0.5 I")
  },
  60_000
)
