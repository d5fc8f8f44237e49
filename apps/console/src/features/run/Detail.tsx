import type { Attachment, ModelCall, RunDetails, RunStep } from "@webagent/admin"
import type { ReactNode } from "react"
import { isSimulated, serverInfo } from "../../state/client.ts"
import { useAtomValue } from "../../state/react.ts"
import { valueOf } from "../../state/runs.ts"
import { Code } from "../../ui/Code.tsx"
import { count, moment, span, usd } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Section } from "../../ui/Page.tsx"
import { shown } from "../../ui/untrustedText.ts"
import { OutsideLink, Untrusted } from "../../ui/Untrusted.tsx"
import { Attachments } from "./Attachments.tsx"
import { Waits } from "../inbox/Waits.tsx"
import { Replay } from "./Replay.tsx"
import { resultText } from "./values.ts"
import { explain, simulatedCause } from "./failures.ts"
import { MarkForm } from "./MarkForm.tsx"
import { Options } from "./Options.tsx"
import { type PictureOf, StepPictures } from "./StepPictures.tsx"
import { CallsTable } from "./Steps.tsx"
import styles from "./RunScreen.module.css"

/** Most characters of a result on the page; the export has all of it. */
const mostShown = 20_000

/** The fact about a run of a simulated agent. */
export const madeUp = "the steps, the result and the cost are made up"

/** A text of strangers as a block of code. */
const Block = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <Code label={label} text={shown(text, mostShown).text} wraps />
)

/** The error of a failed run, with its cause and the next step. */
export const Failure = ({
  isMadeUp = false,
  run
}: {
  readonly run: Pick<RunDetails, "status" | "failure" | "error" | "steps">
  /** True for a run of a simulated agent. */
  readonly isMadeUp?: boolean
}) => {
  if (run.status !== "failed") return null
  // its steps and the task are not the reason
  if (isMadeUp && (run.failure ?? "agent") === "agent") {
    return (
      <section className={styles["failure"]} aria-label="Why it failed">
        <h2>{simulatedCause}</h2>
        {run.error === null ? null : (
          <p>
            <Untrusted max={mostShown}>{run.error}</Untrusted>
          </p>
        )}
      </section>
    )
  }
  const { advice, cause } = explain(run.failure ?? "agent", run.steps)
  return (
    <section className={styles["failure"]} aria-label="Why it failed">
      <h2>{cause}</h2>
      <p>{advice}</p>
      {run.error === null ? null : <Block label="Error" text={run.error} />}
    </section>
  )
}

interface StepDetailProps {
  readonly step: RunStep
  readonly steps: ReadonlyArray<RunStep>
  readonly calls: ReadonlyArray<ModelCall>
  readonly pictureOf: PictureOf
}

/** The page before and after a step, its facts and its model calls. */
export const StepDetail = ({ calls, pictureOf, step, steps }: StepDetailProps) => {
  const facts = [
    ["Tool", step.tool],
    ["Target", [step.role, step.name].filter(Boolean).join(" ") || null],
    ["Value", step.value],
    ["Effect verified", step.verified === null ? null : step.verified ? "yes" : "no"],
    ["Started", moment(step.startedAt)],
    ["Took", step.durationMs === null ? null : span(step.durationMs)],
    ["Tokens", step.tokens === null ? null : `${count(step.tokens.input)} in, ${count(step.tokens.output)} out`],
    ["Cost", step.costUsd === null ? null : usd(step.costUsd)]
  ].filter(([, value]) => value !== null)
  return (
    <Section title={`Step ${step.number}`}>
      <StepPictures step={step} steps={steps} pictureOf={pictureOf} />
      <dl className={styles["stepFacts"]}>
        {step.address === null ? null : (
          <div>
            <dt>Page</dt>
            <dd>
              <OutsideLink address={step.address} />
            </dd>
          </div>
        )}
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Untrusted>{value}</Untrusted>
            </dd>
          </div>
        ))}
      </dl>
      {calls.length === 0 ? null : (
        <Section title={`Model calls of step ${step.number}`}>
          <CallsTable calls={calls} />
        </Section>
      )}
    </Section>
  )
}

/** The result of a run, and what a second model thinks of it. */
export const Outcome = ({ run }: { readonly run: Pick<RunDetails, "result" | "judgement"> }) => (
  <>
    {run.result === null ? null : (
      <Section title="Result">
        <Block label="Result" text={resultText(run.result)} />
      </Section>
    )}
    {run.judgement === null ? null : (
      <Section title={run.judgement.verdict ? "Judge: the result is right" : "Judge: the result is wrong"}>
        <p>
          <Untrusted max={2000}>{run.judgement.failureReason ?? run.judgement.reasoning}</Untrusted>
        </p>
      </Section>
    )}
  </>
)

interface DetailProps extends Omit<StepDetailProps, "step"> {
  readonly run: RunDetails
  readonly step: RunStep | undefined
  readonly recording: ReactNode
  readonly attachments: ReadonlyArray<Attachment>
}

/** The result of a run, its recording and the facts of one step. */
export const Detail = ({ attachments, calls, pictureOf, recording, run, step, steps }: DetailProps) => {
  const info = valueOf(useAtomValue(serverInfo))
  const hasMarks = info?.has.some((part) => part === "marks") ?? false
  const otherCalls = calls.filter((call) => call.step === null)
  return (
    <div className={styles["detail"]} role="region" aria-label="Details" tabIndex={0}>
      <div className={styles["outcome"]}>
        <Waits run={run} />
        <Failure run={run} isMadeUp={isSimulated(info)} />
        {run.status === "cancelled" && info?.key.admin === true && info.has.some((part) => part === "audit") ? (
          <p>
            If someone cancelled this run in the console or with the admin API, the{" "}
            <Link to={`/events/audit?target=${encodeURIComponent(run.id)}`} className={styles["watch"]}>
              audit log
            </Link>{" "}
            has their key.
          </p>
        ) : null}
        <Outcome run={run} />
        {run.browserId === null || run.finishedAt !== null ? null : (
          <p>
            <Link to={`/browsers/${run.browserId}`} className={styles["watch"]}>
              Watch its browser
            </Link>
          </p>
        )}
      </div>
      <Attachments runId={run.id} files={attachments} />
      {!hasMarks || (run.result === null && run.mark === null) ? null : <MarkForm id={run.id} mark={run.mark} />}
      <Replay run={run} />
      {recording}
      {step === undefined ? null : (
        <StepDetail
          step={step}
          steps={steps}
          pictureOf={pictureOf}
          calls={calls.filter((call) => call.step === step.number)}
        />
      )}
      {otherCalls.length === 0 ? null : (
        <Section title="Other model calls">
          <CallsTable calls={otherCalls} />
        </Section>
      )}
      <Options run={run} />
      {run.outputSchema === null ? null : (
        <Section title="Output schema">
          <Block label="Output schema" text={JSON.stringify(run.outputSchema, null, 2)} />
        </Section>
      )}
    </div>
  )
}
