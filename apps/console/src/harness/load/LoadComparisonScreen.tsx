import type { LoadComparison } from "@webagent/harness-api"
import * as AbReport from "@webagent/load/AbReport"
import * as Atom from "effect/reactivity/Atom"
import { place } from "../../state/place.ts"
import { registry, useAtomValue } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Code } from "../../ui/Code.tsx"
import { counted } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Page, Section } from "../../ui/Page.tsx"
import { Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { loadAddress, loadComparisonAddress } from "../state/address.ts"
import { read } from "../state/source.ts"
import { percent } from "./percent.ts"
import { Verdict } from "./Verdict.tsx"
import styles from "./LoadComparisonScreen.module.css"

/** A comparison by its run, its test and the earlier run, joined by line breaks. */
const comparisons = Atom.family((key: string) => {
  const [run = "", test = "", before = ""] = key.split("\n")
  return read("load", (source) =>
    before === "" ? source.loadComparison(run, test) : source.compareLoads(run, test, before)
  )
})

type Row = LoadComparison["rows"][number]

/** A row as the words of `load compare` read it: JSON has no infinite numbers. */
const wordsOf = (row: Row): Parameters<typeof AbReport.cellsOf>[0] => ({
  ...row,
  low: row.low ?? Number.NEGATIVE_INFINITY,
  high: row.high ?? Number.POSITIVE_INFINITY,
  detectable: row.detectable ?? Number.POSITIVE_INFINITY
})

/** The figures of a row: A, B, their ratio, its interval, and the smallest detectable change. */
const cellOf = (row: Row, column: number): string => AbReport.cellsOf(wordsOf(row))[column] ?? ""

const targetOf = ({ target }: LoadComparison["a"]): string => (target.simulated ? "simulated" : target.address)

const Side = ({
  name,
  of: side,
  test
}: {
  readonly name: string
  readonly of: LoadComparison["a"]
  readonly test: string
}) => (
  <>
    <b>{name}</b>: <Untrusted max={120}>{targetOf(side)}</Untrusted>
    {side.run === null ? null : (
      <>
        {" "}
        <Link to={loadAddress(side.run, test)}>
          <Time at={side.startedAt} />
        </Link>{" "}
        {side.verdict}
      </>
    )}
  </>
)

/** The conclusion and its reason. One run of each side can't show how much runs differ by chance. */
const Conclusion = ({ of: comparison }: { readonly of: LoadComparison }) => {
  const { pairs, rows, tolerance, verdict } = comparison
  const [conclusion, reason] =
    pairs < 2
      ? ["cannot tell", "one run of each can't show how much runs differ by chance, so no change has an interval"]
      : AbReport.conclusion({ rows: rows.map(wordsOf), tolerance, verdict })
  return (
    <p className={styles["conclusion"]}>
      <Verdict of={verdict} text={conclusion} />
      {reason === "" ? "" : `: ${reason}.`}
    </p>
  )
}

const Thresholds = ({ of: { a, b } }: { readonly of: LoadComparison }) => {
  const names = [...new Set([...a.thresholds, ...b.thresholds].map(({ limit, name }) => JSON.stringify([name, limit])))]
  const measured = ({ thresholds }: LoadComparison["a"], key: string) => {
    const one = thresholds.find(({ limit, name }) => JSON.stringify([name, limit]) === key)
    return one === undefined ? (
      "–"
    ) : (
      <span className={styles["limit"]} data-ok={one.ok}>{`${one.measured} ${one.ok ? "✓ within" : "✗ crossed"}`}</span>
    )
  }
  return names.length === 0 ? null : (
    <Section title="Thresholds">
      <Table
        label="Thresholds"
        rows={names}
        keyOf={(key) => key}
        columns={[
          { name: "Metric", cell: (key) => <Untrusted max={120}>{String(JSON.parse(key)[0])}</Untrusted> },
          { name: "Limit", isNumber: true, cell: (key) => String(JSON.parse(key)[1]) },
          { name: "A", isNumber: true, cell: (key) => measured(a, key) },
          { name: "B", isNumber: true, cell: (key) => measured(b, key) }
        ]}
      />
    </Section>
  )
}

const Compared = ({ of: comparison }: { readonly of: LoadComparison }) => {
  const { a, b, differences, pairs, rows, test, tolerance } = comparison
  return (
    <>
      <Conclusion of={comparison} />
      <p className={styles["soft"]}>
        <Side name="A" of={a} test={test} /> · <Side name="B" of={b} test={test} /> · {counted(pairs, "pair")} ·
        tolerance {percent(tolerance)}
      </p>
      {differences.length === 0 ? null : (
        <Section title="Other settings">
          <p>The two tests sent different loads, which is another reason why their figures differ.</p>
          <ul className={styles["plain"]}>
            {differences.map((difference) => (
              <li key={difference}>
                <Untrusted>{difference}</Untrusted>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Figures">
        <Table
          label="Figures"
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            { name: "Figure", cell: ({ name }) => name },
            { name: "A", isNumber: true, cell: (row) => row.a },
            { name: "B", isNumber: true, cell: (row) => row.b },
            { name: "Change", isNumber: true, cell: (row) => cellOf(row, 3) },
            {
              name: "95 % interval",
              isNumber: true,
              cell: (row) => (row.low === null || row.high === null ? "–" : cellOf(row, 4))
            },
            {
              name: "Smallest detectable change",
              isNumber: true,
              cell: (row) => (row.detectable === null ? "–" : cellOf(row, 5))
            },
            { name: "Verdict", cell: (row) => <Verdict of={row.verdict} text={AbReport.verdictText(wordsOf(row))} /> }
          ]}
        />
      </Section>
      <Thresholds of={comparison} />
      {pairs > 1 ? null : (
        <Section title="Get a clearer result">
          <p>Send the same load to both versions alternately. Seven pairs usually show a change of a third.</p>
          <Code
            label="Command that compares two services"
            text={`npx webagent-harness load compare ${targetOf(a)} ${targetOf(b)}`}
          />
        </Section>
      )}
    </>
  )
}

/** Two load tests compared, or two services under the same load. */
const LoadComparisonScreen = ({ id }: { readonly id: string }) => {
  const query = new URLSearchParams(useAtomValue(place).search)
  const [test, before] = [query.get("test") ?? "", query.get("before") ?? ""]
  const atom = comparisons(`${id}\n${test}\n${before}`)
  return (
    <Page
      title={before === "" ? "Two services compared" : "Two load tests compared"}
      lead={<Untrusted max={120}>{test}</Untrusted>}
      actions={
        <>
          {isFile || before === "" ? null : <Link to={loadComparisonAddress(before, test, id)}>Swap</Link>}
          <Link to="/load">Load tests</Link>
        </>
      }
    >
      <Answer
        of={useAtomValue(atom)}
        what="comparison"
        missing={<Link to="/load">Load tests</Link>}
        onRetry={() => registry.refresh(atom)}
      >
        {(comparison) => <Compared of={comparison} />}
      </Answer>
    </Page>
  )
}

export default LoadComparisonScreen
