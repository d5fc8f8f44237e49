import type { NightDetail, SuiteTree } from "@webagent/harness-api"
import * as FindingText from "@webagent/findings/words/FindingText"
import type { ScenarioName } from "@webagent/report/Comparison"
import { type Finding, isOfRun } from "@webagent/report/Finding"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"
import { useAtomValue } from "../../state/react.ts"
import { nightOf, suites } from "../state/source.ts"

type Entry = NonNullable<SuiteTree["files"][number]["scenarios"][number]["quarantine"]>

/** Decisions of people about a finding, including those made after its report was written. */
export interface FindingDecisions {
  /** Who is working on it, in words. */
  readonly people: string | undefined
  readonly isAcknowledged: boolean
  readonly quarantine: Entry | undefined
}

const noNight = Atom.make(AsyncResult.initial<NightDetail>())

/** Finds the latest acknowledgement of a finding in its night: of the whole night, or of each of its scenarios. */
const acknowledgementOf = (finding: Finding, acknowledged: NightDetail["acknowledged"]) =>
  acknowledged.findLast(
    ({ scenario }) =>
      scenario === undefined ||
      (!isOfRun(finding) &&
        finding.scenarios.every(({ name, suite }) => scenario.name === name && scenario.suite === suite))
  )

/** Reads the decisions about a finding: a report has only those that were made before its run. */
export const useDecisions = (
  finding: Finding,
  night: string | null,
  single: ScenarioName | undefined
): FindingDecisions => {
  const detail = useAtomValue(night === null ? noNight : nightOf(night))
  const tree = useAtomValue(suites)
  const acknowledged = acknowledgementOf(finding, AsyncResult.isSuccess(detail) ? detail.value.acknowledged : [])
  const { acknowledged: people } = FindingText.describe(
    acknowledged === undefined ? finding : { ...finding, acknowledged }
  )
  const files = AsyncResult.isSuccess(tree) ? tree.value.files : []
  const entry = files
    .find(({ suite }) => suite !== null && suite === single?.suite)
    ?.scenarios.find(({ name }) => name === single?.name)?.quarantine
  return { people, isAcknowledged: people !== undefined, quarantine: entry ?? undefined }
}
