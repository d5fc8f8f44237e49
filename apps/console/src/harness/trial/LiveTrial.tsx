import type { ScenarioName } from "@webagent/report/Comparison"
import { shownVerdict } from "@webagent/report/Trial"
import { count, second } from "../../ui/format.ts"
import { useAtomValue } from "../../state/react.ts"
import { Link } from "../../ui/Link.tsx"
import { Section } from "../../ui/Page.tsx"
import { RecordHead } from "../../ui/Record.tsx"
import { Took } from "../../ui/Took.tsx"
import { Picture } from "../parts/Picture.tsx"
import { BrowserLinks, Steps } from "../parts/Steps.tsx"
import { Verdict } from "../parts/Verdict.tsx"
import { runAddress, trialAddress } from "../state/address.ts"
import type { LiveTrial as Live } from "../state/progress.ts"
import { progressOf } from "../state/runInView.ts"
import { liveTraceOf } from "./liveTrace.ts"
import styles from "./TrialScreen.module.css"
import { Waterfall } from "./Waterfall.tsx"

interface LiveTrialProps {
  readonly run: string
  readonly of: ScenarioName
  /** Undefined for the first trial that is running. */
  readonly index: number | undefined
}

const Requests = ({ of: trial, scenario }: { readonly of: Live; readonly scenario: ScenarioName }) => {
  const now_ms = useAtomValue(second)
  const { requests, startedAt } = trial
  if (startedAt === null || requests.length === 0) return <p className={styles["waiting"]}>No requests yet</p>
  // the clock of the page is a second old
  const last_ms = Math.max(now_ms, ...requests.map(({ at_ms, duration_ms }) => at_ms + (duration_ms ?? 0)))
  return <Waterfall trace={liveTraceOf(scenario, { ...trial, startedAt }, last_ms)} isLive />
}

const Others = ({
  chosen,
  of: scenario,
  run,
  trials
}: Pick<LiveTrialProps, "of" | "run"> & { readonly chosen: number; readonly trials: ReadonlyArray<Live> }) =>
  trials.length < 2 ? null : (
    <nav className={styles["trials"]} aria-label="Trials">
      {trials
        .toSorted((one, other) => one.index - other.index)
        .map(({ index, trial }) => (
          <Link
            key={index}
            to={trialAddress(run, scenario, index)}
            aria-current={index === chosen ? "page" : undefined}
          >
            {index + 1} {trial === null ? "running" : <Verdict of={shownVerdict(trial)} isBrief />}
          </Link>
        ))}
    </nav>
  )

/** A trial while it runs: its browser, the agent's steps and its requests as they happen. */
export const LiveTrial = ({ index, of: scenario, run }: LiveTrialProps) => {
  const { scenarios } = useAtomValue(progressOf(run))
  const { trials = [] } = scenarios.find(({ name, suite }) => name === scenario.name && suite === scenario.suite) ?? {}
  const shown =
    index === undefined
      ? (trials.find(({ trial }) => trial === null) ?? trials.at(-1))
      : trials.find((one) => one.index === index)
  return (
    <div className={styles["screen"]}>
      <RecordHead
        back={[runAddress(run), "The run"]}
        status={shown === undefined ? "queued" : shown.trial === null ? "running" : shownVerdict(shown.trial)}
        id={shown === undefined ? "trial" : `trial ${shown.index + 1}`}
        title={`${scenario.suite} › ${scenario.name}`}
        facts={[
          [
            "Took",
            shown === undefined || shown.trial !== null ? null : (
              <Took key="took" startedAt={shown.startedAt} finishedAt={null} />
            )
          ],
          ["Requests", shown === undefined ? null : count(shown.requests.length)]
        ]}
      />
      <div className={styles["body"]}>
        {shown === undefined ? (
          <p className={styles["waiting"]}>It hasn't started yet. Its requests and steps appear here as they happen.</p>
        ) : (
          <>
            <Others chosen={shown.index} of={scenario} run={run} trials={trials} />
            {shown.trial === null ? null : (
              <p className={styles["waiting"]}>
                It has finished. Its headers, bodies and spans appear here once the run finishes.
              </p>
            )}
            {shown.pictures.length === 0 ? null : (
              <Section title="Browser">
                <div className={styles["pictures"]} role="group" aria-label="Pictures of the browser" tabIndex={0}>
                  {shown.pictures.map((picture) => (
                    <Picture key={picture.runId} of={picture} />
                  ))}
                </div>
              </Section>
            )}
            {shown.agents.map((agent) => (
              <Section
                key={agent.runId}
                title={`Agent of run ${agent.runId.slice(0, 12)}: ${count(agent.count)} steps`}
              >
                <BrowserLinks of={agent} />
                <Steps of={agent} />
              </Section>
            ))}
            <Section title="Requests">
              <Requests of={shown} scenario={scenario} />
            </Section>
          </>
        )}
      </div>
    </div>
  )
}
