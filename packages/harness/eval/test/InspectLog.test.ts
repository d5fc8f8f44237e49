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

it("InspectLog makes a sample of each trial, with its score, its instruction and the stored steps", () => {
  const [passed, claimed] = log.samples
  assert.deepInclude(passed, { id: "eval-shop/order", epoch: 1, input: "Task 7", scores: { oracle: { value: "C" } } })
  assert.deepInclude(claimed?.scores?.oracle, { value: "I", answer: "no order", metadata: { claimed: true } })
  assert.deepStrictEqual(claimed?.messages, [
    { role: "user", content: "Task 8" },
    { role: "assistant", content: "Clicked Buy\nhttp://shop" }
  ])
  assert.deepInclude(claimed, { started_at: "2026-11-29T12:00:01.000Z", completed_at: "2026-11-29T12:00:01.500Z" })
  assert.deepStrictEqual(
    claimed?.events.map(({ event, working_start }) => [event, working_start]),
    [
      ["info", 0],
      ["score", 0.5]
    ]
  )
  const unscored = log.samples.at(-1)
  assert.isNull(unscored?.scores)
  assert.strictEqual(unscored?.error?.message, "infra")
  assert.strictEqual(log.results.scores[0]?.metrics["accuracy"]?.value, 0.5)
})

it("InspectLog has a name that Inspect lists", () => {
  const named = (suitesHash?: string) =>
    InspectLog.fileNameOf({ header: { ...report.header, ...(suitesHash === undefined ? {} : { suitesHash }) } })
  assert.strictEqual(named(), "2026-11-29T12-00-00+00-00_webagent_webagent.json")
  assert.strictEqual(
    named("0123456789abcdef0123456789"),
    "2026-11-29T12-00-00+00-00_webagent_0123456789abcdef012345.json"
  )
})

/** A Python that has the package inspect-ai. */
const python = process.env["WEBAGENT_INSPECT_PYTHON"] ?? ""

const read = `
import sys
from inspect_ai.log import list_eval_logs, read_eval_log
[found] = list_eval_logs(sys.argv[1])
log = read_eval_log(found)
print(found.task, found.task_id, [event.event for event in log.samples[1].events])
print(log.status, len(log.samples), log.results.scores[0].metrics["accuracy"].value, log.samples[1].scores["oracle"].value)
`

it.runIf(python !== "")(
  "InspectLog is listed and read by Inspect (set WEBAGENT_INSPECT_PYTHON to a Python with inspect-ai)",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "inspect-"))
    writeFileSync(join(folder, InspectLog.fileNameOf(report)), JSON.stringify(log))
    const printed = execFileSync(python, ["-c", read, folder], { encoding: "utf8" }).trim()
    rmSync(folder, { recursive: true })
    assert.strictEqual(printed, "webagent webagent ['info', 'score']\nsuccess 6 0.5 I")
  },
  60_000
)
