import { consolePath, type ModelCall, type RunDetails, type RunStep } from "@webagent/admin"
import { serverInfo } from "../../state/client.ts"
import { useAtomValue } from "../../state/react.ts"
import { valueOf } from "../../state/runs.ts"
import { Code } from "../../ui/Code.tsx"
import { moment } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Section } from "../../ui/Page.tsx"
import { shown } from "../../ui/untrustedText.ts"
import { OutsideLink, Untrusted } from "../../ui/Untrusted.tsx"
import { resultText } from "./exported.ts"
import { explain } from "./failures.ts"
import { MarkForm } from "./MarkForm.tsx"
import { CallsTable } from "./Steps.tsx"
import styles from "./RunScreen.module.css"

/** Most characters of a result on the page; the export has all of it. */
const mostShown = 20_000

/** A text of strangers as a block of code. */
const Block = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <Code label={label} text={shown(text, mostShown).text} />
)

const Failure = ({ run }: { readonly run: RunDetails }) => {
  if (run.status !== "failed") return null
  const { advice, cause } = explain(run.failure ?? "agent")
  return (
    <section className={styles["failure"]} aria-label="Why it failed">
      <h2>{cause}</h2>
      <p>{advice}</p>
      {run.error === null ? null : <Block label="Error" text={run.error} />}
    </section>
  )
}

const StepDetail = ({
  calls,
  run,
  step
}: {
  readonly run: RunDetails
  readonly step: RunStep
  readonly calls: ReadonlyArray<ModelCall>
}) => {
  const facts = [
    ["Tool", step.tool],
    ["Target", [step.role, step.name].filter(Boolean).join(" ") || null],
    ["Value", step.value],
    ["Verified effect", step.verified === null ? null : step.verified ? "yes" : "no"],
    ["Started", moment(step.startedAt)]
  ].filter(([, value]) => value !== null)
  return (
    <>
      <figure className={styles["picture"]}>
        {step.picture ? (
          <img
            src={`${consolePath}/api/runs/${encodeURIComponent(run.id)}/steps/${step.number}/picture`}
            alt={`The page at step ${step.number}`}
            width={640}
            height={400}
          />
        ) : (
          <p>This step has no picture.</p>
        )}
        {step.address === null ? null : (
          <figcaption>
            <OutsideLink address={step.address} />
          </figcaption>
        )}
      </figure>
      <dl className={styles["stepFacts"]}>
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
    </>
  )
}

/** The path of a recording on this origin; its link may start with a public URL that this page isn't at. */
const recordingOf = (link: string | null): string | null => {
  const url = link === null ? null : URL.parse(link)
  return url === null ? null : `${url.pathname}${url.search}`
}

interface DetailProps {
  readonly run: RunDetails
  readonly step: RunStep | undefined
  readonly calls: ReadonlyArray<ModelCall>
}

/** The result of a run and the facts of one step. */
export const Detail = ({ calls, run, step }: DetailProps) => {
  const info = valueOf(useAtomValue(serverInfo))
  const hasMarks = info?.has.some((part) => part === "marks") ?? false
  const recording = recordingOf(run.recordingUrl)
  const otherCalls = calls.filter((call) => call.step === null)
  return (
    <div className={styles["detail"]} role="region" aria-label="Details" tabIndex={0}>
      <Failure run={run} />
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
      {run.finishedAt === null || !hasMarks ? null : <MarkForm id={run.id} mark={run.mark} />}
      {recording === null ? null : (
        <p>
          <a className={styles["watch"]} href={recording} target="_blank" rel="noopener noreferrer">
            Open the recording
          </a>
        </p>
      )}
      {run.browserId === null || run.finishedAt !== null ? null : (
        <p>
          <Link to={`/browsers/${run.browserId}`} className={styles["watch"]}>
            Watch its browser
          </Link>
        </p>
      )}
      {step === undefined ? null : (
        <StepDetail run={run} step={step} calls={calls.filter((call) => call.step === step.number)} />
      )}
      {otherCalls.length === 0 ? null : (
        <Section title="Model calls">
          <CallsTable calls={otherCalls} />
        </Section>
      )}
      {run.outputSchema === null ? null : (
        <Section title="Schema of the output">
          <Block label="Schema of the output" text={JSON.stringify(run.outputSchema, null, 2)} />
        </Section>
      )}
    </div>
  )
}
