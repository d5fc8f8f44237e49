import type { LoadDetail } from "@webagent/harness-api"
import * as Atom from "effect/reactivity/Atom"
import { place } from "../../state/place.ts"
import { registry, useAtomValue } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Code } from "../../ui/Code.tsx"
import { count, counted, span } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Section } from "../../ui/Page.tsx"
import { RecordHead } from "../../ui/Record.tsx"
import { Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { loadComparisonAddress } from "../state/address.ts"
import { read } from "../state/source.ts"
import { loads } from "./load.state.ts"
import { percent } from "./percent.ts"
import { Series } from "./Series.tsx"
import styles from "./LoadTestScreen.module.css"

/** A load test by its run and name, joined by a line break. */
const tests = Atom.family((key: string) => {
  const [run = "", test = ""] = key.split("\n")
  return read("load", (source) => source.load(run, test))
})

const Thresholds = ({ of: { thresholds } }: { readonly of: LoadDetail["report"] }) =>
  thresholds.length === 0 ? (
    <p>The test has no thresholds, so slow responses can't fail it.</p>
  ) : (
    <Table
      label="Thresholds"
      rows={thresholds.toSorted((one, other) => Number(one.ok) - Number(other.ok))}
      keyOf={({ limit, name }) => `${name} ${limit}`}
      columns={[
        { name: "Metric", cell: ({ name }) => <Untrusted max={120}>{name}</Untrusted> },
        { name: "Limit", isNumber: true, cell: ({ limit }) => limit },
        { name: "Measured", isNumber: true, cell: ({ measured }) => measured },
        { name: "Result", cell: ({ ok }) => <b data-ok={ok}>{ok ? "✓ within" : "✗ crossed"}</b> }
      ]}
    />
  )

const Percentiles = ({ of: { measurements } }: { readonly of: LoadDetail["report"] }) => {
  const { detection_delay: delay, operations, requests, time_to_terminal: whole } = measurements
  const rows = [
    ["all requests", requests] as const,
    ...(whole === undefined ? [] : [["start of a run to its final status", whole] as const]),
    ...(delay === undefined ? [] : [["end of a run until the client saw it", delay] as const]),
    ...Object.entries(operations)
  ]
  return (
    <Table
      label="Percentiles"
      rows={rows}
      keyOf={([name]) => name}
      columns={[
        { name: "Time for", cell: ([name]) => <Untrusted max={120}>{name}</Untrusted> },
        { name: "Count", isNumber: true, cell: ([, one]) => count(one.count) },
        { name: "p50", isNumber: true, cell: ([, one]) => span(one.p50) },
        { name: "p95", isNumber: true, cell: ([, one]) => span(one.p95) },
        { name: "p99", isNumber: true, cell: ([, one]) => span(one.p99) },
        { name: "Max", isNumber: true, cell: ([, one]) => span(one.max) }
      ]}
    />
  )
}

const Baseline = ({ of: baseline }: { readonly of: LoadDetail["baseline"] }) => {
  if (baseline === null) {
    return (
      <>
        <p>No baseline is configured, so this test is judged by its thresholds alone.</p>
        <Code label="Command with a baseline" text="npx webagent-harness load smoke --baseline load.jsonl --record" />
      </>
    )
  }
  return (
    <>
      <p>
        Compared with {counted(baseline.runs, "recorded test")}
        {baseline.leftOut.length === 0
          ? ""
          : `; left out: ${baseline.leftOut.map(([why, left]) => `${left} ${why}`).join(", ")}`}
      </p>
      {baseline.rows.length === 0 ? <p>Too few for a verdict.</p> : null}
      {baseline.rows.length === 0 ? null : (
        <Table
          label="Baseline"
          rows={baseline.rows}
          keyOf={({ name }) => name}
          columns={[
            { name: "Figure", cell: ({ name }) => <Untrusted max={120}>{name}</Untrusted> },
            { name: "Now", isNumber: true, cell: ({ now }) => now },
            { name: "Usual range", isNumber: true, cell: ({ high, low }) => `${low} to ${high}` },
            {
              name: "Verdict",
              cell: ({ verdict }) => <b data-ok={verdict === "worse" ? false : undefined}>{verdict}</b>
            }
          ]}
        />
      )}
    </>
  )
}

/** Other runs of the test to compare this one with, the newest first. */
const Others = ({ run, test }: { readonly run: string; readonly test: string }) => (
  <Answer of={useAtomValue(loads)} what="load tests" onRetry={() => registry.refresh(loads)}>
    {(all) => {
      const others = all.filter((one) => one.test === test && one.run !== run).slice(0, mostOthers)
      return others.length === 0 ? null : (
        <Section title="Compare with another run">
          <ul className={styles["others"]}>
            {others.map((other) => (
              <li key={other.run}>
                <Link to={loadComparisonAddress(run, test, other.run)} data-row>
                  <Time at={other.startedAt} />
                </Link>{" "}
                {other.verdict}, p95 {span(other.requests.p95)},{" "}
                {other.target.simulated ? "simulated" : other.target.name}
              </li>
            ))}
          </ul>
        </Section>
      )
    }}
  </Answer>
)

const mostOthers = 20

const Test = ({ of: { baseline, report, series }, run }: { readonly of: LoadDetail; readonly run: string }) => {
  const { duration_ms, measurements, rate, settings, startedAt, target, test, took_ms, verdict } = report
  return (
    <div className={styles["screen"]}>
      <RecordHead
        back={["/load", "Load tests"]}
        status={verdict}
        id={run}
        title={test}
        facts={[
          ["Started", <Time key="at" at={startedAt} />],
          ["Load", `${rate} starts per second for ${span(duration_ms)}`],
          ["Took", span(took_ms)],
          ["Requests per second", measurements.throughput.toFixed(1)],
          ["Failed requests", percent(measurements.errors)],
          ["Target", target.simulated ? "simulated" : target.address],
          ["Processes", String(settings.segments)]
        ]}
      />
      <div className={styles["body"]}>
        <Section title="Thresholds">
          <Thresholds of={report} />
        </Section>
        {series === null ? null : (
          <Section title="Over time">
            <Series of={series} />
          </Section>
        )}
        <Section title="Percentiles">
          <Percentiles of={report} />
        </Section>
        <Section title="Earlier tests">
          <Baseline of={baseline} />
        </Section>
        <Others run={run} test={test} />
        {report.failed_requests === undefined ? null : (
          <Section title="Failed requests">
            <Code label="Failed requests" text={JSON.stringify(report.failed_requests, null, 2)} wraps />
          </Section>
        )}
      </div>
    </div>
  )
}

/** A load test with its percentiles, thresholds and baseline. */
const LoadTestScreen = ({ id }: { readonly id: string }) => {
  const test = new URLSearchParams(useAtomValue(place).search).get("test") ?? ""
  const atom = tests(`${id}\n${test}`)
  return (
    <Answer
      of={useAtomValue(atom)}
      what="load test"
      missing={<Link to="/load">Load tests</Link>}
      onRetry={() => registry.refresh(atom)}
    >
      {(detail) => <Test of={detail} run={id} />}
    </Answer>
  )
}

export default LoadTestScreen
