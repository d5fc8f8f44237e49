import type { ComparedNights } from "@webagent/harness-api/Source"
import * as Changes from "@webagent/findings/words/Changes"
import * as Atom from "effect/reactivity/Atom"
import { Equal } from "lucide-react"
import { place } from "../../state/place.ts"
import { registry, useAtomValue } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { counted } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { Page, Section } from "../../ui/Page.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { FiguresTable } from "../parts/FiguresTable.tsx"
import { compareAddress, nightAddress, scenarioAddress } from "../state/address.ts"
import { startOf } from "../state/start.ts"
import { read } from "../state/source.ts"
import styles from "./CompareScreen.module.css"

/** Two nights by their ids, joined by a space. */
const comparisons = Atom.family((key: string) => {
  const [night = "", before = ""] = key.split(" ")
  return read("nights", (source) => source.compare(night, before))
})

type Change = ComparedNights["changes"][number]

/** A link to a night by its start. */
const linkTo = ({ id, startedAt, tool }: ComparedNights["before"], both: ReadonlyArray<ComparedNights["before"]>) => (
  <>
    <Link to={nightAddress(id)}>{startOf({ startedAt }, both)}</Link> <small>{tool}</small>
  </>
)

/** One scenario that differs, with its cause. */
const ChangeItem = ({ of: change }: { readonly of: Change }) => {
  const cause = Changes.cause(change)
  return (
    <li data-certain={change.isCertain}>
      <span className={styles["kind"]}>{change.kind}</span>
      <Link to={scenarioAddress(change)}>
        <Untrusted max={300}>{Changes.line(change)}</Untrusted>
      </Link>
      {cause === undefined ? null : (
        <p>
          <Untrusted max={400}>{cause}</Untrusted>
        </p>
      )}
    </li>
  )
}

const Needs = ({ of: { needs } }: { readonly of: ComparedNights }) => {
  const lines = [
    ...(needs.nights === undefined
      ? []
      : [
          `The history has ${counted(needs.nights, "night")} like these${needs.enough === undefined ? ", and they differ too much to tell" : `, and ${needs.enough} are needed`}.`
        ]),
    ...(needs.trials === undefined
      ? []
      : [`With ${needs.trials} trials per scenario, one that became flaky would be detected.`])
  ]
  return lines.length === 0 ? null : <p className={styles["soft"]}>{lines.join(" ")}</p>
}

const Compared = ({ of: output }: { readonly of: ComparedNights }) => (
  <>
    <p className={styles["verdict"]}>
      <b data-verdict={output.verdict}>{Changes.conclusion(output)}</b>
    </p>
    <p className={styles["soft"]}>
      Before: {linkTo(output.before, [output.before, output.after])} · after:{" "}
      {linkTo(output.after, [output.before, output.after])} · {counted(output.scenarios, "scenario")} in both
      {output.pairs === 0 ? "" : ` · ${counted(output.pairs, "trial")} with the same seed`}
    </p>
    {output.note === undefined ? null : <p className={styles["soft"]}>{output.note}</p>}
    <Needs of={output} />
    {output.differences.length === 0 ? null : (
      <Section title="Other differences">
        <ul className={styles["plain"]}>
          {output.differences.map((difference) => (
            <li key={difference}>
              <Untrusted>{difference}</Untrusted>
            </li>
          ))}
        </ul>
      </Section>
    )}
    {output.changes.length === 0 ? (
      <Message icon={Equal} title="No scenario differs">
        <p>Every scenario of both nights has the same result, as far as these nights can tell.</p>
      </Message>
    ) : (
      <Section title={counted(output.changes.length, "scenario that differs", "scenarios that differ")}>
        <ul className={styles["changes"]}>
          {output.changes.map((change) => (
            <ChangeItem key={`${change.kind} ${change.suite} ${change.name}`} of={change} />
          ))}
        </ul>
      </Section>
    )}
    {output.rows.length === 0 ? null : (
      <Section title="Figures">
        <FiguresTable label="Figures" rows={output.rows} />
      </Section>
    )}
  </>
)

/** Any two nights compared. */
const CompareScreen = ({ id }: { readonly id: string }) => {
  const before = new URLSearchParams(useAtomValue(place).search).get("before") ?? ""
  const atom = comparisons(`${id} ${before}`)
  return (
    <Page
      title="Two nights compared"
      actions={
        <>
          <Link to={compareAddress(before, id)}>Swap</Link>
          <Link to="/">Nights</Link>
        </>
      }
    >
      <Answer of={useAtomValue(atom)} what="comparison" onRetry={() => registry.refresh(atom)}>
        {(output) => <Compared of={output} />}
      </Answer>
    </Page>
  )
}

export default CompareScreen
