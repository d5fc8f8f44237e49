import * as Findings from "./Findings.ts"
import type { Fold } from "./Fold.ts"

/** An API key that followed a redirect to another origin: whoever answers there has it now. */
export const make = (): Fold => {
  const findings = Findings.make()
  return {
    oracle: "key-sent-elsewhere",
    request: (row) => {
      if (row.operation !== "trap" || row.apiKey === null) return
      findings.add(row.path, {
        resource: null,
        sentence: `${row.method} ${row.path} brought an API key along to another origin.`,
        seqs: [row.seq]
      })
    },
    verdict: () =>
      Findings.verdict("key-sent-elsewhere", findings, {
        well: "No API key went to another origin.",
        ill: (count) =>
          `${Findings.counted(count, "request")} took an API key to another origin: a redirect there is not to be followed with it.`
      })
  }
}
