import { shownVerdict } from "@webagent/report/Trial"
import { useState } from "react"
import { useAtomValue } from "../../state/react.ts"
import { Button } from "../../ui/Button.tsx"
import { count, counted, span, timeOfDay } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { Section } from "../../ui/Page.tsx"
import { Took } from "../../ui/Took.tsx"
import { OutsideLink, Untrusted } from "../../ui/Untrusted.tsx"
import { Play } from "lucide-react"
import { Picture } from "../parts/Picture.tsx"
import { Verdict } from "../parts/Verdict.tsx"
import { trialAddress } from "../state/address.ts"
import { progressOf } from "../state/runInView.ts"
import { countsOf, type LiveScenario, type LiveTrial } from "../state/progress.ts"
import styles from "./Live.module.css"

/** A trial: its verdict, or its number while it runs. */
const TrialDot = ({ of: { index, trial } }: { readonly of: LiveTrial }) =>
  trial === null ? (
    <span className={styles["running"]} title={`Trial ${index + 1} is running`}>
      {index + 1}
    </span>
  ) : (
    <Verdict of={shownVerdict(trial)} isBrief />
  )

/** Latest requests of a scenario that its card shows. */
const mostRequests = 6

/** A running trial: its browser, and the latest step of its agent. */
const RunningTrial = ({
  of: { agents, index, pictures, startedAt },
  run,
  scenario
}: {
  readonly of: LiveTrial
  readonly run: string
  readonly scenario: LiveScenario
}) => {
  const step = agents.at(-1)?.steps.at(-1)
  const picture = pictures.at(-1)
  return (
    <li>
      <p>
        <Link to={trialAddress(run, scenario, index)}>Watch trial {index + 1}</Link> ·{" "}
        <Took startedAt={startedAt} finishedAt={null} />
      </p>
      {step === undefined ? null : (
        <p>
          Step {step.number}: <Untrusted max={200}>{step.summary}</Untrusted>
        </p>
      )}
      {picture === undefined ? null : <Picture of={picture} />}
    </li>
  )
}

/** A scenario with running trials: its browsers, and its latest requests, the newest first. */
const Running = ({ of: scenario, run }: { readonly of: LiveScenario; readonly run: string }) => {
  const { name, suite, trials } = scenario
  const running = trials.filter(({ trial }) => trial === null).toSorted((one, other) => one.index - other.index)
  const requests = running
    .flatMap((one) => one.requests)
    .toSorted((one, other) => other.at_ms - one.at_ms)
    .slice(0, mostRequests)
  return (
    <li className={styles["card"]}>
      <h3>
        <Untrusted max={100}>{`${suite} › ${name}`}</Untrusted>
      </h3>
      <ul className={styles["watched"]}>
        {running.map((trial) => (
          <RunningTrial key={trial.index} of={trial} run={run} scenario={scenario} />
        ))}
      </ul>
      {requests.length === 0 ? <p>No requests yet</p> : null}
      <ol>
        {requests.map(({ at_ms, duration_ms, failure, id, method, path, status }) => (
          <li key={id} data-bad={failure !== null || (status ?? 0) >= 500}>
            <time>{timeOfDay(at_ms).slice(0, 8)}</time>
            <code>
              {method} <Untrusted max={80}>{path}</Untrusted>
            </code>
            <span>{duration_ms === null ? "…" : (failure ?? status ?? "no response")}</span>
            <span>{duration_ms === null ? "" : span(duration_ms)}</span>
          </li>
        ))}
      </ol>
    </li>
  )
}

/** The steps of the agent in the latest trial, with a link to its browser or recording. */
const Agent = ({ trials }: Pick<LiveScenario, "trials">) => {
  const agent = trials.findLast(({ trial }) => trial?.agentSteps !== undefined)?.trial?.agentSteps?.at(-1)
  return agent === undefined ? null : (
    <small>
      {counted(agent.count, "step")} <OutsideLink address={agent.liveUrl ?? agent.recordingUrl} />
    </small>
  )
}

const Row = ({ of: scenario, run }: { readonly of: LiveScenario; readonly run: string }) => {
  const { name, result, suite, trials } = scenario
  const failure = trials.find(({ trial }) => trial?.failure !== undefined)?.trial?.failure
  return (
    <li className={styles["row"]}>
      <span className={styles["name"]}>
        {result === null ? (
          <Untrusted max={120}>{`${suite} › ${name}`}</Untrusted>
        ) : (
          <Link to={trialAddress(run, scenario)}>
            <Untrusted max={120}>{`${suite} › ${name}`}</Untrusted>
          </Link>
        )}
        {failure === undefined ? null : (
          <small>
            <Untrusted max={200}>{failure.message}</Untrusted>
          </small>
        )}
        <Agent trials={trials} />
      </span>
      <span className={styles["trials"]}>
        {trials
          .toSorted((one, other) => one.index - other.index)
          .map((trial) => (
            <TrialDot key={trial.index} of={trial} />
          ))}
      </span>
      {result === null ? <span className={styles["state"]}>running</span> : <Verdict of={result.verdict} />}
    </li>
  )
}

/** Finished scenarios that are shown before a person asks for all. */
const mostShown = 30

/** A run as it goes: running trials with their requests, and every scenario that began. */
export const Live = ({ id }: { readonly id: string }) => {
  const progress = useAtomValue(progressOf(id))
  const [isAll, showAll] = useState(false)
  const { done, failed, running, scenarios, scenariosDone } = countsOf(progress)
  if (progress.header === null && progress.scenarios.length === 0) {
    return (
      <Message icon={Play} title="Waiting for the first event">
        <p>Trials appear here as they start.</p>
      </Message>
    )
  }
  const current = progress.scenarios.filter(({ trials }) => trials.some(({ trial }) => trial === null))
  // what failed is read first, then what began last
  const rows = progress.scenarios
    .toReversed()
    .toSorted(
      (one, other) =>
        Number(other.trials.some(({ trial }) => trial?.failure !== undefined)) -
        Number(one.trials.some(({ trial }) => trial?.failure !== undefined))
    )
  return (
    <>
      <div className={styles["progress"]}>
        <progress aria-label="Finished scenarios" max={Math.max(1, scenarios)} value={scenariosDone} />
        <p>
          {count(scenariosDone)} of {counted(scenarios, "scenario")} · {counted(done, "trial")} done, {count(running)}{" "}
          running, {count(failed)} not passed
        </p>
      </div>
      {progress.outage === null ? null : (
        <p role="alert" className={styles["outage"]}>
          The service hasn't responded since {timeOfDay(Date.parse(progress.outage)).slice(0, 8)}. No trial starts until
          it does.
        </p>
      )}
      {current.length === 0 ? null : (
        <Section title="Running now">
          <ul className={styles["cards"]}>
            {current.map((scenario) => (
              <Running key={`${scenario.suite} ${scenario.name}`} of={scenario} run={id} />
            ))}
          </ul>
        </Section>
      )}
      <Section title="Scenarios">
        <ul className={styles["rows"]}>
          {(isAll ? rows : rows.slice(0, mostShown)).map((scenario) => (
            <Row key={`${scenario.suite} ${scenario.name}`} of={scenario} run={id} />
          ))}
        </ul>
        {isAll || rows.length <= mostShown ? null : (
          <div>
            <Button onClick={() => showAll(true)}>{`Show ${rows.length - mostShown} more`}</Button>
          </div>
        )}
      </Section>
    </>
  )
}
