import * as Findings from "./Findings.ts"
import type { Detector } from "./Detector.ts"

/** An API key in the address of a request, where every proxy and log on the way can read it. */
export const make = (): Detector => {
  const findings = Findings.make()
  return {
    oracle: "key-in-url",
    request: (row) => {
      if (!row.path.includes("[key]")) return
      findings.add(row.path, {
        resource: row.resource,
        sentence: `${row.method} ${row.path} had an API key in its URL.`,
        seqs: [row.seq]
      })
    },
    findings: () => findings,
    well: "No URL contained an API key.",
    ill: (count) =>
      `${Findings.counted(count, "request")} had an API key in the URL, where logs keep it. Send the key in the header only.`
  }
}
