import type { Night } from "@webagent/nights/Night"
import { type Change, type Conclusion, kinds, type ComparisonVerdict } from "@webagent/findings/NightChanges"
import * as Changes from "@webagent/findings/words/Changes"
import { evidence } from "@webagent/findings/words/Pair"
import type { NightComparison } from "@webagent/nights/NightComparison"
import type { Style } from "@webagent/cli/Style"
import { counted } from "@webagent/cli/Text"
import { program } from "../Program.ts"
import * as PartialText from "@webagent/findings/words/PartialText"

// of one kind; the others are in --json
const mostShown = 10

const nightOf = ({ fingerprint, id, startedAt }: Night) =>
  `${id}  ${startedAt.slice(0, 16).replace("T", " ")} UTC  ${fingerprint.target}, tool ${fingerprint.tool}`

const changeLines = (change: Change, style: Style): ReadonlyArray<string> => {
  const cause = Changes.cause(change)
  return [`  ${Changes.line(change)}`, ...(cause === undefined ? [] : [style.faint(`      ${cause}`)])]
}

const marks: Readonly<Record<ComparisonVerdict, keyof Style>> = {
  worse: "bad",
  better: "good",
  "no difference seen": "good",
  "cannot tell": "strong"
}

/** Lists the data that a more certain verdict needs. */
const needsOf = ({ needs: { enough, nights, trials } }: Conclusion): ReadonlyArray<string> => [
  ...(nights === undefined
    ? []
    : enough === undefined
      ? [`needs    more trials of each scenario, or a quieter machine: nights like these differ too much`]
      : [
          `needs    ${enough} nights like these for a comparison; the history has ${nights}: record them with ${program} run --history FILE --record`
        ]),
  ...(trials === undefined ? [] : [`needs    ${trials} trials of each scenario in both nights (--trials ${trials})`])
]

/** Formats a comparison for people: the scenarios that differ, then the whole night, then the conclusion. */
export const lines = (given: {
  readonly a: Night
  readonly b: Night
  readonly comparison: NightComparison
  readonly conclusion: Conclusion
  readonly style: Style
}): ReadonlyArray<string> => {
  const { a, b, comparison, conclusion, style } = given
  const { differences, pairs, rows, scenarios } = comparison
  const whole = rows.filter(({ scenario }) => scenario === null)
  // once it is clear what changed, what else could have been seen is in --json
  const isClear = conclusion.verdict === "worse" || conclusion.verdict === "better"
  const width = Math.max(...whole.map(({ figure }) => figure.length))
  const by = pairs > 0 ? `, ${pairs} trials paired by their seed` : ", compared by counts"
  return [
    `before   ${nightOf(a)}`,
    `after    ${nightOf(b)}`,
    ...kinds.flatMap((kind) => {
      const its = conclusion.changes.filter((change) => change.kind === kind)
      if (its.length === 0) return []
      const more = its.length - mostShown
      return [
        "",
        style.strong(kind),
        ...its.slice(0, mostShown).flatMap((change) => changeLines(change, style)),
        ...(more > 0 ? [`  and ${more} more: see --json`] : [])
      ]
    }),
    "",
    style.strong("all together"),
    `  ${counted(scenarios, "scenario")} in both${by}`,
    ...whole.map((row) => `  ${row.figure.padEnd(width)}  ${evidence(row, isClear)}`),
    ...(a.partial === undefined ? [] : [`  the first is partial: ${PartialText.text(a.partial)}`]),
    ...(b.partial === undefined ? [] : [`  the second is partial: ${PartialText.text(b.partial)}`]),
    ...differences.map((difference) => `  differs: ${difference}`),
    "",
    ...needsOf(conclusion),
    style[marks[conclusion.verdict]](Changes.conclusion(conclusion))
  ]
}
