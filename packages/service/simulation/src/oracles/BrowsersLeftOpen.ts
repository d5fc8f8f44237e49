import * as Findings from "./Findings.ts"
import type { Detector } from "./Detector.ts"
import * as BoundedMap from "../journal/BoundedMap.ts"

/** Browsers that are open when the oracle is asked: they go on, and cost. Open browsers are read from the state. */
export const make = (): Detector => {
  const created = BoundedMap.make<number>()
  return {
    oracle: "browsers-left-open",
    ofState: true,
    move: (row) => {
      if (row.of !== "browser") return
      if (row.to === "stopped") created.delete(row.id)
      else if (row.from === null) created.set(row.id, row.seq)
    },
    findings: ({ browsers, now_ms }) => ({
      count: () => browsers.length,
      list: () =>
        browsers.map(({ id, startedAt_ms }) => {
          const seq = created.get(id)
          return {
            resource: id,
            sentence: `Browser ${id} has been open for ${Findings.lasted(now_ms - startedAt_ms)}.`,
            seqs: seq === undefined ? [] : [seq]
          }
        })
    }),
    well: "Every browser is stopped.",
    ill: (count) =>
      `${Findings.counted(count, "browser is", "browsers are")} not stopped. Use browsers.use, browsers.stop or PATCH with the action "stop".`
  }
}
