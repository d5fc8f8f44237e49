import type { Run } from "@webagent/harness-api"
import * as HistoryLines from "@webagent/findings/words/HistoryLines"
import * as InterruptedTrialsText from "@webagent/findings/words/InterruptedTrialsText"
import * as NextText from "@webagent/findings/words/NextText"
import { notRun } from "@webagent/findings/words/Notes"
import * as SelectionText from "@webagent/findings/words/SelectionText"
import * as UsageText from "@webagent/findings/words/UsageText"
import * as CutShort from "@webagent/report/CutShort"
import * as InterruptedTrials from "@webagent/report/InterruptedTrials"
import type { RunReport } from "@webagent/report/RunReport"
import { isOpen } from "@webagent/report/Trial"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { CircleCheck } from "lucide-react"
import { reason } from "../../state/errors.ts"
import { say } from "../../state/notices.ts"
import { go } from "../../state/place.ts"
import { registry, useAtomValue, useChange } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button } from "../../ui/Button.tsx"
import { Code } from "../../ui/Code.tsx"
import { byteSize, count, counted, span } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { Section } from "../../ui/Page.tsx"
import { type Fact, RecordHead } from "../../ui/Record.tsx"
import { Took } from "../../ui/Took.tsx"
import { Moment } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { Findings } from "../parts/Findings.tsx"
import { nightAddress, runAddress } from "../state/address.ts"
import { project, source, canOf } from "../state/source.ts"
import { targetOf } from "./again.ts"
import { Live } from "./Live.tsx"
import { Results } from "./Results.tsx"
import { runOf, startRun, stopRun } from "./run.state.ts"
import { Statistics } from "./Statistics.tsx"
import { passedText, statusOf, titleOf } from "./status.ts"
import { Usage } from "./Usage.tsx"
import styles from "./RunScreen.module.css"

const Files = ({ run: { files, id, reap } }: { readonly run: Run }) => {
  const from = useAtomValue(source)
  return (
    <Section title="Run files">
      {files.length === 0 ? <p>No other files from this run are available here.</p> : null}
      <ul className={styles["files"]}>
        {files.map(({ bytes, name }) => {
          const link = from?.linkOf(id, name)
          return (
            <li key={name}>
              {link === undefined ? (
                <Untrusted>{name}</Untrusted>
              ) : (
                <a href={link} download={name}>
                  <Untrusted>{name}</Untrusted>
                </a>
              )}{" "}
              {bytes === null ? null : <span>{byteSize(bytes)}</span>}
            </li>
          )
        })}
      </ul>
      {reap === null ? null : (
        <>
          <p>Something that this run created may still be open and cost money. This command stops it:</p>
          <Code label="Command that stops leftovers" text={reap} />
        </>
      )}
    </Section>
  )
}

/** The most scenarios that a request to start a run may name. */
const mostScenarios = 2000

const Controls = ({ run }: { readonly run: Run }) => {
  const about = useAtomValue(project)
  const can = canOf(about)
  const target = targetOf(run.target, AsyncResult.isSuccess(about) ? about.value.targets : [])
  const [stop, isDisabled, isStopping] = useChange(stopRun, (result) =>
    say(AsyncResult.isFailure(result) ? reason(result) : "Run stopped. Its report was written.")
  )
  const [start, isStarting] = useChange(startRun, (result) => {
    if (AsyncResult.isFailure(result)) return say(reason(result))
    go(runAddress(result.value.id))
  })
  if (run.state === "running") {
    return run.isOurs && can.run ? (
      <Button kind="danger" disabled={isDisabled} onClick={() => stop(run.id)}>
        {isStopping ? "Stopping…" : "Stop"}
      </Button>
    ) : null
  }
  const { results = [] } = run.report ?? {}
  const failed = results.filter(({ verdict }) => !["passed", "skipped"].includes(verdict))
  const again = (label: string, some: RunReport["results"]) => (
    <Button
      disabled={isStarting}
      onClick={() => start({ scenarios: some.map(({ name, suite }) => ({ name, suite })), target })}
    >
      {label}
    </Button>
  )
  return !can.run || results.length === 0 ? null : (
    <>
      {failed.length === 0 || failed.length === results.length
        ? null
        : again(`Run the ${failed.length} that didn't pass`, failed)}
      {results.length > mostScenarios ? null : again("Run again", results)}
    </>
  )
}

/** Most sentences of one kind that are shown at once. */
const mostShown = 5

/** Sentences about what may be wrong with the run itself, so that there may be something to do. */
const doubtsOf = (report: RunReport): ReadonlyArray<string> => {
  const cut = InterruptedTrials.of(report)
  const uncompared = HistoryLines.uncompared(report)
  const open = (report.leftovers ?? []).filter(isOpen)
  return [
    ...(report.interrupted ? ["The run was stopped before it finished."] : []),
    ...(open.length === 0 ? [] : [`${counted(open.length, "resource")} may still be running and cost money.`]),
    ...(cut === undefined
      ? []
      : [`Not included: ${InterruptedTrialsText.text(cut)}. They may still be running at the service.`]),
    ...(uncompared === undefined ? [] : [uncompared])
  ]
}

/** The parts that the run lacks, before its findings. */
const Caveats = ({ of: sentences }: { readonly of: ReadonlyArray<string> }) =>
  sentences.length === 0 ? null : (
    <ul className={styles["caveats"]} aria-label="About this run">
      {sentences.map((sentence) => (
        <li key={sentence}>
          <Untrusted max={600}>{sentence}</Untrusted>
        </li>
      ))}
    </ul>
  )

/** Figures that are better than in earlier nights. */
const Improvements = ({ report: { judgement } }: { readonly report: RunReport }) => {
  const better = (judgement?.rows ?? []).filter(({ verdict }) => verdict === "improved")
  return better.length === 0 ? null : (
    <details className={styles["fold"]} open={better.length <= mostShown}>
      <summary>{counted(better.length, "improvement")}</summary>
      <ul>
        {better.map((row) => (
          <li key={HistoryLines.rowText(row)}>
            <Untrusted max={300}>{HistoryLines.rowText(row)}</Untrusted>
          </li>
        ))}
      </ul>
    </details>
  )
}

const Finished = ({ run }: { readonly run: Run }) => {
  const can = canOf(useAtomValue(project))
  const { id, night, replays, report } = run
  const all = report?.findings ?? run.findings
  const doubts = report === null ? [] : doubtsOf(report)
  const unrun = all.flatMap((finding) => notRun(finding) ?? [])
  const isSure = doubts.length === 0 && report !== null && CutShort.cutShort(report).length === 0
  const isQuiet = all.every(({ severity }) => severity === "note")
  return (
    <>
      <Caveats of={[...doubts, ...unrun]} />
      {isQuiet ? (
        <Message
          icon={CircleCheck}
          title={report === null ? "This run has no report" : isSure ? NextText.nothing : "No findings"}
        >
          <p>
            {report === null
              ? "Its process exited early. Finished trials are kept. If you started it with a command, add --resume to continue it. Otherwise, run it again."
              : passedText(run)}
          </p>
        </Message>
      ) : null}
      <Findings
        of={all.filter(({ kind }) => kind._tag !== "NotRun")}
        run={id}
        night={night}
        startedAt={run.startedAt}
        replays={replays}
        canChange={can.change}
      />
      {report === null ? null : (
        <>
          <Improvements report={report} />
          <Results id={id} report={report} />
          <Usage report={report} />
          <Statistics report={report} />
        </>
      )}
      <Files run={run} />
    </>
  )
}

type UsedFigure = ReturnType<typeof UsageText.of>["cost"]

/** A figure with the part of its extra trials, and the rest next to the usual. What is far above it is marked. */
const Used = ({ of }: { readonly of: UsedFigure }) => {
  const usual = UsageText.usualText(of)
  return (
    <>
      {UsageText.text(of)}
      {usual === undefined ? null : (
        <span className={styles["usual"]} data-far={of.usual?.isFar}>
          , {usual}
        </span>
      )}
    </>
  )
}

/** The usage of a run, and its resources that were not seen to their end. */
const usageOf = (report: RunReport): ReadonlyArray<Fact> => {
  const { cost, requests, time } = UsageText.of(report)
  const { leftovers = [] } = report
  const open = leftovers.filter(isOpen).length
  return [
    ["Ran", UsageText.trials(report, CutShort.unrun(report) ?? 0)],
    ["Skipped", report.counts.skipped === 0 ? null : count(report.counts.skipped)],
    ["Took", <Used key="took" of={time} />],
    ["Sent", <Used key="requests" of={requests} />],
    ["Cost", <Used key="cost" of={cost} />],
    ["Still running", leftovers.length === 0 ? null : `${open}; ${leftovers.length - open} leftovers stopped`]
  ]
}

/** The runs that this one continues or was merged from, if it isn't one whole run. */
const originOf = ({ header, shards }: RunReport): ReadonlyArray<Fact> => [
  ["Shard", header.shard === undefined ? null : `${header.shard.index} of ${header.shard.of}`],
  ["Merged from", shards === undefined ? null : counted(shards.length, "shard")],
  [
    "Resumed",
    header.resumed === undefined ? null : header.resumed.map(({ at }) => at.slice(0, 16).replace("T", " ")).join(", ")
  ],
  ["Service", header.revisions?.service?.version ?? header.revisions?.service?.commit?.slice(0, 7) ?? null],
  ["Version", header.tool.version]
]

/** The passed scenarios of those that ran. */
const passedOf = ({ counts, scenarios }: Run): string | null => {
  if (counts === null) return null
  const { passed, skipped } = counts
  return `${passed} of ${scenarios - skipped} scenarios${skipped === 0 ? "" : " that ran"}`
}

const RunView = ({ run }: { readonly run: Run }) => {
  const { duration_ms, id, night, report, selection, startedAt, state, target } = run
  return (
    <div className={styles["screen"]}>
      <RecordHead
        back={["/runs", "Runs"]}
        status={statusOf(run)}
        id={id}
        title={titleOf(run)}
        facts={[
          ["Started", <Moment key="at" at={startedAt} />],
          [
            "Took",
            report !== null ? null : duration_ms === null ? (
              <Took key="took" startedAt={startedAt} finishedAt={null} />
            ) : (
              span(duration_ms)
            )
          ],
          ["Passed", passedOf(run)],
          ...(report === null ? [] : usageOf(report)),
          ["Target", target.simulated ? "simulated" : target.address],
          ["Seed", report === null ? null : String(report.header.seed)],
          ["Selection", selection === null ? null : SelectionText.text(selection)],
          ...(report === null ? [] : originOf(report)),
          [
            "Night",
            night === null ? null : (
              <Link key="night" to={nightAddress(night)}>
                {night.slice(0, 8)}
              </Link>
            )
          ]
        ]}
        actions={isFile ? null : <Controls run={run} />}
      />
      <div className={styles["body"]}>{!isFile && state === "running" ? <Live id={id} /> : <Finished run={run} />}</div>
    </div>
  )
}

/** A run: live while it runs, then its findings, scenarios and files. */
const RunScreen = ({ id }: { readonly id: string }) => {
  const result = useAtomValue(runOf(id))
  return (
    <Answer of={result} what="run" missing={<Link to="/runs">Runs</Link>} onRetry={() => registry.refresh(runOf(id))}>
      {(run) => <RunView run={run} />}
    </Answer>
  )
}

export default RunScreen
