import * as Findings from "./Findings.ts"
import type { Detector } from "./Detector.ts"

/** An API key that followed a redirect to another origin: the server there has it now. */
export const make = (): Detector => {
  const findings = Findings.make()
  return {
    oracle: "key-sent-elsewhere",
    request: (row) => {
      if (row.operation !== "trap" || row.apiKey === null) return
      findings.add(row.path, {
        resource: null,
        sentence: `${row.method} ${row.path} sent an API key to another origin.`,
        seqs: [row.seq]
      })
    },
    findings: () => findings,
    well: "No API key was sent to another origin.",
    ill: (count) =>
      `${Findings.counted(count, "request")} sent an API key to another origin. Do not follow redirects with the key.`
  }
}
