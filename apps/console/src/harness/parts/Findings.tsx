import type { Replay } from "@webagent/harness-api"
import * as FindingText from "@webagent/findings/words/FindingText"
import * as IgnoreText from "@webagent/findings/words/IgnoreText"
import * as NextText from "@webagent/findings/words/NextText"
import { note, notRun } from "@webagent/findings/words/Notes"
import * as Statistics from "@webagent/findings/words/Statistics"
import type { Comparison, ScenarioName } from "@webagent/report/Comparison"
import type { Finding } from "@webagent/report/Finding"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { type ReactNode, useState } from "react"
import { useAtomValue } from "../../state/react.ts"
import { Button } from "../../ui/Button.tsx"
import { Code } from "../../ui/Code.tsx"
import { counted } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { OutsideLink, Untrusted } from "../../ui/Untrusted.tsx"
import { nightAddress, scenarioAddress, trialAddress } from "../state/address.ts"
import { project } from "../state/source.ts"
import { AcknowledgeForm } from "./AcknowledgeForm.tsx"
import { useDecisions } from "./decisions.ts"
import { ownerOf } from "./owner.ts"
import { QuarantineForm } from "./QuarantineForm.tsx"
import styles from "./Findings.module.css"

/** The facts about a run that its list of findings needs. */
export interface FindingsOf {
  /** Id of the run, if its report is there. */
  readonly run: string | null
  /** Id of the night that it is in the history; null if it isn't. */
  readonly night: string | null
  readonly replays: ReadonlyArray<Replay>
  /** When the run began, in UTC. */
  readonly startedAt: string
  /** True if scenarios can be quarantined here. */
  readonly canChange: boolean
}

/** Most scenarios of one cause that are shown at once. */
const mostShown = 5

const addressOf = (run: string | null, scenario: ScenarioName): string =>
  run === null ? scenarioAddress(scenario) : trialAddress(run, scenario)

const Scenarios = ({ run, text }: { readonly run: string | null; readonly text: FindingText.FindingText }) => {
  const [isAll, showAll] = useState(false)
  const { scenarios, shared } = text
  if (shared === undefined) return null
  return (
    <ul className={styles["scenarios"]}>
      {(isAll ? scenarios : scenarios.slice(0, mostShown)).map((scenario) => (
        <li key={scenario.title}>
          <Link to={addressOf(run, scenario)}>
            <Untrusted max={120}>{scenario.title}</Untrusted>
          </Link>
          {scenario.rate === undefined ? null : <small>{scenario.rate}</small>}
          {scenario.age === undefined ? null : <small>{scenario.age}</small>}
        </li>
      ))}
      {isAll || scenarios.length <= mostShown ? null : (
        <li>
          <Button onClick={() => showAll(true)}>{`Show ${scenarios.length - mostShown} more`}</Button>
        </li>
      )}
    </ul>
  )
}

const comparisonsOf = ({ kind, scenarios }: Finding): ReadonlyArray<Comparison> => [
  ...("comparison" in kind ? [kind.comparison] : []),
  ...scenarios.flatMap((one) => one.comparison ?? [])
]

/** A fact with its name; left out without a value. */
const Fact = ({ children, name }: { readonly name: string; readonly children: ReactNode }) =>
  children === undefined ? null : (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )

/** Says if the finding may be ignored, and shows the command that makes later nights pass. */
const Ignore = ({ of: finding, startedAt }: { readonly of: Finding; readonly startedAt: string }) => {
  const result = useAtomValue(project)
  const command = AsyncResult.isSuccess(result)
    ? IgnoreText.commandOf(finding, startedAt, result.value.commands)
    : undefined
  return (
    <Fact name="Ignore">
      {IgnoreText.text(finding)}
      {command === undefined ? null : (
        <details>
          <summary>{finding.scenarios.length > 1 ? "Command for the first one" : "Command"}</summary>
          <Code label="Command to ignore it" text={command} wraps />
        </details>
      )}
    </Fact>
  )
}

/** Says what to do next, and shows its commands if they're known. */
const Next = ({
  about,
  of: finding,
  replay
}: {
  readonly of: Finding
  readonly replay: string | undefined
  /** Names the finding, because each command has a region of its own. */
  readonly about: string
}) => {
  const result = useAtomValue(project)
  const program = AsyncResult.isSuccess(result) ? result.value.commands.program : ""
  const { commands, label, text } = NextText.of(finding, { program, replay })
  const word = label === "replay" ? "Replay" : "Run"
  return (
    <>
      <Fact name="Next">{text}</Fact>
      {commands.map((command, index) => (
        <Fact key={command} name={word}>
          <Code label={`${word} ${index + 1}: ${about}`} text={command} wraps />
        </Fact>
      ))}
    </>
  )
}

interface FindingProps extends FindingsOf {
  readonly of: Finding
}

const FindingItem = ({ canChange, night, of: finding, replays, run, startedAt }: FindingProps) => {
  const [form, setForm] = useState<"acknowledge" | "quarantine" | undefined>(undefined)
  const text = FindingText.describe(finding)
  const example = FindingText.exampleOf(finding)
  const single = text.shared === undefined && finding.scenarios.length === 1 ? finding.scenarios[0] : undefined
  const replay =
    example === undefined
      ? undefined
      : replays.find(({ name, suite }) => suite === example.suite && name === example.name)
  const owner = ownerOf(finding)
  const { isAcknowledged, people, quarantine } = useDecisions(finding, night, single)
  const line = text.cause ?? text.evidence
  // without the line itself; a finding about one scenario has the same figure twice
  const evidence = [...new Set([line, ...comparisonsOf(finding).map(Statistics.fullEvidence)])].slice(1, 3)
  return (
    <li className={styles["finding"]} data-severity={finding.severity}>
      <div className={styles["head"]}>
        <span className={styles["what"]}>{text.what}</span>
        {text.age === undefined ? null : <span className={styles["age"]}>{text.age}</span>}
        {text.owner === undefined ? null : (
          <span className={styles["age"]}>
            owner <Untrusted max={120}>{text.owner}</Untrusted>
          </span>
        )}
        {text.affected === undefined ? null : (
          <span className={styles["age"]}>
            affected: <Untrusted max={120}>{text.affected}</Untrusted>
          </span>
        )}
        <h3>
          {single === undefined ? (
            <Untrusted max={160}>{text.place}</Untrusted>
          ) : (
            <Link to={addressOf(run, single)}>
              <Untrusted max={160}>{text.place}</Untrusted>
            </Link>
          )}
        </h3>
      </div>
      <p className={styles["cause"]}>
        <Untrusted max={600}>{line}</Untrusted>
      </p>
      <Scenarios run={run} text={text} />
      <dl className={styles["facts"]}>
        <Fact name="Cause">{text.unexplained}</Fact>
        {/* before the evidence, so that a phone's first screen has the command */}
        <Next of={finding} about={`${text.place}: ${text.what}`} replay={run === null ? undefined : replay?.command} />
        <Fact name="Cost">{text.cost}</Fact>
        <Fact name="Trials">{evidence.some((one) => one.startsWith(text.detail ?? "")) ? undefined : text.detail}</Fact>
        <Fact name="Confidence">{text.certainty}</Fact>
        <Fact name="Evidence">{evidence.join("; ") || undefined}</Fact>
        {text.contribution === undefined ? null : (
          <Fact name="Where">
            {text.contribution.share}
            <ul>
              {text.contribution.scenarios.map((one) => (
                <li key={one.title}>
                  <Link to={addressOf(run, one)}>
                    <Untrusted max={120}>{one.title}</Untrusted>
                  </Link>{" "}
                  {one.text}
                </li>
              ))}
            </ul>
          </Fact>
        )}
        <Fact name="Began">{text.change?.began}</Fact>
        <Fact name="Changed">
          {text.change && (
            <>
              <Untrusted max={600}>{text.change.changed}</Untrusted> <OutsideLink address={text.change.url} />
            </>
          )}
        </Fact>
        {people === undefined ? null : (
          <Fact name="Status">
            <Untrusted max={300}>{people}</Untrusted>
          </Fact>
        )}
        {quarantine === undefined ? null : (
          <Fact name="Quarantine">
            until {quarantine.expires} by <Untrusted max={60}>{quarantine.owner}</Untrusted>:{" "}
            <Untrusted max={200}>{quarantine.reason}</Untrusted>
          </Fact>
        )}
        {night === null ? null : <Ignore of={finding} startedAt={startedAt} />}
      </dl>
      <div className={styles["actions"]}>
        {example === undefined ? null : (
          <>
            {run === null ? null : <Link to={trialAddress(run, example)}>Open the trial</Link>}
            <Link to={scenarioAddress(example)}>Over time</Link>
          </>
        )}
        {isFile || !canChange || form !== undefined ? null : (
          <>
            {night === null || isAcknowledged ? null : (
              <Button onClick={() => setForm("acknowledge")}>Acknowledge…</Button>
            )}
            {night === null || finding.kind._tag !== "Regressed" ? null : (
              <Link to={nightAddress(night)}>Accept the new level</Link>
            )}
            {single === undefined || quarantine !== undefined ? null : (
              <Button onClick={() => setForm("quarantine")}>Quarantine…</Button>
            )}
          </>
        )}
      </div>
      {isFile || single === undefined || form !== "quarantine" ? null : (
        <QuarantineForm of={single} owner={owner} onClose={() => setForm(undefined)} />
      )}
      {isFile || night === null || form !== "acknowledge" ? null : (
        <AcknowledgeForm night={night} of={single} owner={owner} onClose={() => setForm(undefined)} />
      )}
    </li>
  )
}

const titles = { error: "Errors", warning: "Warnings" } as const

/** The findings of a run: errors, warnings, and notes in one line each. */
export const Findings = ({ of: findings, ...rest }: FindingsOf & { readonly of: ReadonlyArray<Finding> }) => {
  const notes = findings
    .filter(({ severity }) => severity === "note")
    .map((finding) => note(finding) ?? notRun(finding) ?? FindingText.brief(finding))
  return (
    <>
      {(["error", "warning"] as const).map((severity) => {
        const some = findings.filter((one) => one.severity === severity)
        return some.length === 0 ? null : (
          <section key={severity} className={styles["group"]} aria-label={titles[severity]}>
            <h2>{counted(some.length, severity)}</h2>
            <ul className={styles["list"]}>
              {some.map((finding, index) => (
                <FindingItem key={index} of={finding} {...rest} />
              ))}
            </ul>
          </section>
        )
      })}
      {notes.length === 0 ? null : (
        <details className={styles["notes"]}>
          <summary>
            {counted(notes.length, "note")} that {notes.length === 1 ? "needs" : "need"} no attention
          </summary>
          <ul>
            {notes.map((sentence, index) => (
              <li key={index}>
                <Untrusted max={600}>{sentence}</Untrusted>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
