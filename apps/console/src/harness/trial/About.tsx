import * as Ages from "@webagent/findings/words/Ages"
import * as ConfirmText from "@webagent/findings/words/ConfirmText"
import * as PassRate from "@webagent/report/PassRate"
import type { ScenarioResult } from "@webagent/report/RunReport"
import { isRun } from "@webagent/report/Usage"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { useAtomValue } from "../../state/react.ts"
import { counted, span } from "../../ui/format.ts"
import { Facts } from "../../ui/Record.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { trendOf } from "../state/source.ts"

const percent = (share: number): string => `${Math.round(share * 100)} %`

/** From the least to the greatest, or the only one. */
const rangeOf = (values: ReadonlyArray<number>): string | null => {
  if (values.length === 0) return null
  const [least, most] = [span(Math.min(...values)), span(Math.max(...values))]
  return least === most ? least : `${least} to ${most}`
}

/** Earlier nights whose durations are compared. */
const mostNights = 30

/** Facts of the scenario: its pass rate and durations next to earlier nights, its owner, tags and quarantine. */
export const About = ({ of: result, startedAt }: { readonly of: ScenarioResult; readonly startedAt: string }) => {
  const trend = useAtomValue(trendOf(result))
  const { confirm, needs, onset, owner, quarantine, tags, trials } = result
  const rate = PassRate.of(trials)
  const medians = AsyncResult.isSuccess(trend)
    ? trend.value.points
        .filter((point) => point.startedAt < startedAt)
        .slice(-mostNights)
        .flatMap(({ duration_ms }) => duration_ms ?? [])
    : []
  const text = (value: string | undefined) =>
    value === undefined || value === "" ? null : <Untrusted max={400}>{value}</Untrusted>
  return (
    <Facts
      of={[
        [
          "Pass rate",
          rate === undefined
            ? null
            : text(
                `${rate.passed} of ${counted(rate.scored, "trial")} passed; with 95 % confidence ${percent(rate.low)} to ${percent(rate.high)}`
              )
        ],
        ["Extra trials", confirm === undefined ? null : text(ConfirmText.text(confirm))],
        ["All trials took", rangeOf(trials.filter(isRun).map(({ duration_ms }) => duration_ms))],
        [
          "Earlier medians",
          medians.length === 0 ? null : text(`${rangeOf(medians)} in ${counted(medians.length, "night")}`)
        ],
        [
          "Failing",
          // a scenario also fails for a leak alone
          onset?.trials === undefined || rate?.passed === rate?.scored ? null : text(Ages.age(onset.trials))
        ],
        ["Breaking an invariant", onset?.invariants === undefined ? null : text(Ages.age(onset.invariants))],
        ["Owner", text(owner)],
        ["Tags", text(tags.join(", "))],
        ["Needs", text(needs.join(", "))],
        [
          "Quarantine",
          quarantine === undefined
            ? null
            : text(
                `${quarantine.expired ? "expired" : "until"} ${quarantine.expires} (${quarantine.owner}): ${quarantine.reason}`
              )
        ]
      ]}
    />
  )
}
