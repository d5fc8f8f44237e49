/**
 * A reporter that writes the slowest scenarios of a run to slowest.txt, in the folder of its reports.
 *
 * Run: npm run harness -- run v4-runs --reporter console --reporter apps/examples/src/33_slowest.reporter.ts
 */
import * as Schema from "effect/Schema"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { defineReporter } from "webagent-harness"

export default defineReporter({
  name: "slowest",
  options: Schema.UndefinedOr(Schema.Struct({ count: Schema.Int })),
  make: ({ directory, options = { count: 3 } }) => {
    const durations: Array<readonly [name: string, duration_ms: number]> = []
    return {
      onScenarioEnded: ({ duration_ms, name }) => void durations.push([name, duration_ms]),
      onRunEnded: async () => {
        const slowest = durations.toSorted(([, a], [, b]) => b - a).slice(0, options.count)
        const lines = slowest.map(([name, duration_ms]) => `${Math.round(duration_ms)} ms  ${name}\n`)
        await writeFile(join(directory, "slowest.txt"), lines.join(""))
      }
    }
  }
})
