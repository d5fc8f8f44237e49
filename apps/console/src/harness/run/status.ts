import type { RunSummary } from "@webagent/harness-api"
import * as PartialText from "@webagent/findings/words/PartialText"
import * as Title from "@webagent/findings/words/Title"

/** The status of a run in a word. */
export const statusOf = ({ state, status }: Pick<RunSummary, "state" | "status">): string =>
  state === "finished" ? (status ?? state) : state

const titledOf = ({ counts, findings, partial }: RunSummary): Title.Titled | undefined => {
  if (counts === null) return undefined
  const { claimed, failed, flaky, infra, passed, unscored } = counts
  const text = partial === null ? undefined : PartialText.text(partial)
  return {
    findings,
    ran: passed + flaky + failed + claimed + infra + unscored,
    passed,
    isCutShort: partial?._tag === "Limit" || partial?._tag === "LostShard",
    ...(text === undefined ? {} : { partial: { brief: text, text } })
  }
}

/** The title of a run, without its status. */
export const titleOf = (run: RunSummary): string => {
  const titled = titledOf(run)
  return titled === undefined
    ? run.state === "running"
      ? "Running"
      : "Killed before it finished"
    : Title.fullTitleOf(titled)
}

/** `75 of 76 scenarios passed`: of those that ran. */
export const passedText = (run: RunSummary): string => {
  const titled = titledOf(run)
  return titled === undefined ? "" : Title.passedText(titled)
}
