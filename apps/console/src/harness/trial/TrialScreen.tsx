import type { Run } from "@webagent/harness-api"
import * as BreachText from "@webagent/findings/words/BreachText"
import * as CauseText from "@webagent/findings/words/CauseText"
import * as LeakText from "@webagent/findings/words/LeakText"
import * as SkipText from "@webagent/findings/words/SkipText"
import { harOf } from "@webagent/report/Har"
import type { ScenarioResult } from "@webagent/report/RunReport"
import { type Failure, shownVerdict, type Trial } from "@webagent/report/Trial"
import { FileQuestion } from "lucide-react"
import { place } from "../../state/place.ts"
import { registry, useAtomValue } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button } from "../../ui/Button.tsx"
import { Code } from "../../ui/Code.tsx"
import { download } from "../../ui/download.ts"
import { count, counted, span } from "../../ui/format.ts"
import { usd } from "../state/cost.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { Section } from "../../ui/Page.tsx"
import { RecordHead } from "../../ui/Record.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { BrowserLinks, Steps } from "../parts/Steps.tsx"
import { Verdict } from "../parts/Verdict.tsx"
import { runOf } from "../run/run.state.ts"
import { runAddress, scenarioAddress, scenarioIn, trialAddress } from "../state/address.ts"
import { project, source } from "../state/source.ts"
import { About } from "./About.tsx"
import { LiveTrial } from "./LiveTrial.tsx"
import { Pictures } from "./Pictures.tsx"
import { traceOf } from "./trial.state.ts"
import { Waterfall } from "./Waterfall.tsx"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import styles from "./TrialScreen.module.css"

const order = ["claimed", "failed", "infra", "unscored", "skipped", "passed"]

/** The index of the trial in an address; undefined if it names none. */
const numberIn = (search: string): number | undefined => {
  const number = new URLSearchParams(search).get("trial")
  return number === null || Number.isNaN(Number(number)) ? undefined : Number(number) - 1
}

/** The trial of an address; without a number, the worst one. */
const trialIn = ({ confirm, trials }: ScenarioResult, search: string): Trial | undefined => {
  const wanted = numberIn(search)
  const all = [...trials, ...(confirm?.trials ?? [])]
  return wanted === undefined
    ? all.toSorted((one, other) => order.indexOf(shownVerdict(one)) - order.indexOf(shownVerdict(other)))[0]
    : all.find(({ index }) => index === wanted)
}

/** Links to the other trials of the scenario. */
const Trials = ({
  chosen,
  result,
  run
}: {
  readonly run: string
  readonly result: ScenarioResult
  readonly chosen: Trial
}) => {
  const all = [...result.trials, ...(result.confirm?.trials ?? [])]
  return all.length < 2 ? null : (
    <nav className={styles["trials"]} aria-label="Trials">
      {all.map((trial) => (
        <Link
          key={trial.index}
          to={trialAddress(run, result, trial.index)}
          aria-current={trial.index === chosen.index ? "page" : undefined}
        >
          {trial.index + 1} <Verdict of={shownVerdict(trial)} isBrief />
        </Link>
      ))}
    </nav>
  )
}

/** The failure of a trial: the check, its values and the line of the suite. */
const FailureView = ({ of: failure }: { readonly of: Failure }) => {
  const { actual, diff, expected, message, request, service, source, where } = failure
  return (
    <section className={styles["failure"]} aria-label="Failure">
      <h2>
        <Untrusted max={500}>{message}</Untrusted>
      </h2>
      {where === undefined ? null : (
        <p>
          at <code>{where}</code>
        </p>
      )}
      {source === undefined ? null : <Code label="Line in the suite" text={source} />}
      {diff === undefined ? (
        <dl>
          {expected === undefined ? null : (
            <div>
              <dt>Expected</dt>
              <dd>
                <Untrusted max={2000}>{expected}</Untrusted>
              </dd>
            </div>
          )}
          {actual === undefined ? null : (
            <div>
              <dt>Actual</dt>
              <dd>
                <Untrusted max={2000}>{actual}</Untrusted>
              </dd>
            </div>
          )}
        </dl>
      ) : (
        <Code label="Difference" text={diff.join("\n")} />
      )}
      {request === undefined ? null : (
        <p>
          Last request: {request.method} <Untrusted max={200}>{request.path}</Untrusted>,{" "}
          {request.status ?? "no response"} after {span(request.duration_ms)}
        </p>
      )}
      {service === undefined ? null : (
        <p>
          The service said: <Untrusted max={1000}>{service}</Untrusted>
        </p>
      )}
    </section>
  )
}

/** The tries that only the infrastructure ended, the oldest first. */
const Reruns = ({ of: { reruns } }: { readonly of: Trial }) =>
  reruns.length === 0 ? null : (
    <Section title={counted(reruns.length, "earlier attempt")}>
      <ul>
        {reruns.map(({ duration_ms, failure, started_ms }) => (
          <li key={started_ms}>
            After {span(duration_ms)}: <Untrusted max={300}>{CauseText.ofFailure(failure)}</Untrusted>
          </li>
        ))}
      </ul>
    </Section>
  )

const Agent = ({ of: trial }: { readonly of: Trial }) =>
  (trial.agentSteps ?? []).map((agent) => (
    <Section key={agent.runId} title={`Agent of run ${agent.runId.slice(0, 12)}: ${count(agent.count)} steps`}>
      <BrowserLinks of={agent} />
      <Steps of={agent} />
    </Section>
  ))

const fileName = ({ name, suite }: ScenarioResult, { index }: Trial, end: string): string =>
  `${suite}-${name}-${index + 1}.${end}`.replaceAll(/[^\w.-]+/gu, "-")

const TraceView = ({
  file,
  result,
  run,
  trial
}: {
  readonly run: string
  readonly file: string
  readonly result: ScenarioResult
  readonly trial: Trial
}) => {
  const atom = traceOf(run, file)
  const about = useAtomValue(project)
  const version = AsyncResult.isSuccess(about) ? about.value.tool.version : ""
  const link = useAtomValue(source)?.linkOf(run, file)
  return (
    <Answer
      of={useAtomValue(atom)}
      what="trace"
      {...(isFile ? { missing: link === undefined ? null : <a href={link}>Trace file</a> } : {})}
      onRetry={() => registry.refresh(atom)}
    >
      {(trace) => (
        <Section
          title="Requests, spans and journal"
          actions={
            <div className={styles["actions"]}>
              <Button
                onClick={() =>
                  download(fileName(result, trial, "json"), "application/json", JSON.stringify(trace, null, 2))
                }
              >
                Save the trace
              </Button>
              <Button
                onClick={() =>
                  download(
                    fileName(result, trial, "har"),
                    "application/json",
                    JSON.stringify(harOf(trace, { name: "webagent-harness", version }), null, 2)
                  )
                }
              >
                Save as HAR
              </Button>
            </div>
          }
        >
          {Object.entries(trace.dropped).some(([, dropped]) => dropped > 0) ? (
            <p>
              Not kept:{" "}
              {Object.entries(trace.dropped)
                .filter(([, dropped]) => dropped > 0)
                .map(([what, dropped]) => `${count(dropped)} ${what}`)
                .join(", ")}
            </p>
          ) : null}
          <Pictures of={trace} />
          <Waterfall trace={trace} />
        </Section>
      )}
    </Answer>
  )
}

const TrialView = ({
  result,
  run,
  trial
}: {
  readonly run: Run
  readonly result: ScenarioResult
  readonly trial: Trial
}) => {
  const { breaches, checks, cost_usd, duration_ms, failure, index, leakedBrowsers, opinions, output } = trial
  const { requests, seed, trace } = trial
  const replay = run.replays.find(({ name, suite }) => suite === result.suite && name === result.name)
  const why = SkipText.reasonOf(trial)
  return (
    <div className={styles["screen"]}>
      <RecordHead
        back={[runAddress(run.id), "The run"]}
        status={shownVerdict(trial)}
        id={`trial ${index + 1}`}
        title={`${result.suite} › ${result.name}`}
        facts={[
          ["Took", span(duration_ms)],
          ["Requests", count(requests)],
          ["Checks", count(checks)],
          ["Cost", usd(cost_usd)],
          ["Trial seed", String(seed)]
        ]}
        actions={<Link to={scenarioAddress(result)}>Over time</Link>}
      />
      <div className={styles["body"]}>
        <Trials run={run.id} result={result} chosen={trial} />
        <About of={result} startedAt={run.startedAt} />
        {failure === undefined ? null : <FailureView of={failure} />}
        {failure !== undefined || why === undefined ? null : (
          <p>
            <Untrusted max={600}>{why}</Untrusted>
          </p>
        )}
        {leakedBrowsers.length === 0 ? null : (
          <p role="alert" className={styles["problem"]}>
            {LeakText.text(leakedBrowsers)}
          </p>
        )}
        {breaches.map((breach, n) => (
          <p key={n} role="alert" className={styles["problem"]}>
            <Untrusted max={600}>{BreachText.text(breach)}</Untrusted>
          </p>
        ))}
        {opinions?.agent === true && opinions.oracle === false ? (
          <p className={styles["problem"]}>The agent reported success.</p>
        ) : null}
        <Reruns of={trial} />
        {replay === undefined ? null : (
          <Section title="Replay">
            <Code label="Command that replays this scenario with the same random inputs" text={replay.command} wraps />
          </Section>
        )}
        <Agent of={trial} />
        {output === undefined ? null : (
          <Section title="Output">
            <Code label="Output" text={output.map(({ text }) => text).join("")} wraps />
          </Section>
        )}
        {trace === undefined ? (
          <p>This report has no trace of this trial. Replay it to store one.</p>
        ) : (
          <TraceView key={trace} run={run.id} file={trace} result={result} trial={trial} />
        )}
        <details className={styles["raw"]}>
          <summary>This trial as JSON</summary>
          <Code label="This trial as JSON" text={JSON.stringify(trial, null, 2)} wraps />
        </details>
      </div>
    </div>
  )
}

/** One trial: why it failed, how to replay it, and everything that it sent. */
const TrialScreen = ({ id }: { readonly id: string }) => {
  const { search } = useAtomValue(place)
  const of = scenarioIn(search)
  return (
    <Answer
      of={useAtomValue(runOf(id))}
      what="run"
      missing={<Link to="/runs">Runs</Link>}
      onRetry={() => registry.refresh(runOf(id))}
    >
      {(run) => {
        if (!isFile && run.state === "running" && of !== undefined) {
          return <LiveTrial run={id} of={of} index={numberIn(search)} />
        }
        const result = run.report?.results.find(({ name, suite }) => name === of?.name && suite === of.suite)
        const trial = result === undefined ? undefined : trialIn(result, search)
        return result === undefined || trial === undefined ? (
          <Message icon={FileQuestion} title="The run has no such trial" alert whole>
            <p>
              {run.report === null
                ? "It hasn't finished yet, or it was killed."
                : "The scenario was not run, or the address is misspelled."}
            </p>
            <Link to={runAddress(id)}>The run</Link>
          </Message>
        ) : (
          <TrialView run={run} result={result} trial={trial} />
        )
      }}
    </Answer>
  )
}

export default TrialScreen
