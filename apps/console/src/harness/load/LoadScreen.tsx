import { Gauge } from "lucide-react"
import { registry, useAtomValue } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { span } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { Page, Section } from "../../ui/Page.tsx"
import { Status } from "../../ui/Status.tsx"
import { Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { percent } from "./percent.ts"
import { Verdict } from "./Verdict.tsx"
import { loadAddress, loadComparisonAddress } from "../state/address.ts"
import { read } from "../state/source.ts"
import { loads } from "./load.state.ts"
import { Command } from "../state/Command.tsx"

const comparisons = read("load", (source) => source.loadComparisons)

/** Every comparison of two services under the same load. */
const Comparisons = () => (
  <Section title="Two services compared">
    <Answer of={useAtomValue(comparisons)} what="comparisons" onRetry={() => registry.refresh(comparisons)}>
      {(rows) =>
        !isFile && rows.length === 0 ? (
          <>
            <p>To learn whether a new version is slower, send the same load to both versions alternately.</p>
            <Command
              label="Command that compares two services"
              words="load compare http://127.0.0.1:4400 http://127.0.0.1:4401"
            />
          </>
        ) : (
          <Table
            label="Two services compared"
            rows={rows}
            keyOf={({ run, test }) => JSON.stringify([run, test])}
            columns={[
              {
                name: "Test",
                cell: ({ run, test }) => (
                  <Link to={loadComparisonAddress(run, test)} data-row>
                    <Untrusted max={80}>{test}</Untrusted>
                  </Link>
                )
              },
              { name: "Verdict", cell: ({ verdict }) => <Verdict of={verdict} /> },
              { name: "Started", cell: ({ startedAt }) => <Time at={startedAt} /> },
              { name: "A", cell: ({ a }) => <Untrusted max={80}>{a.simulated ? "simulated" : a.address}</Untrusted> },
              { name: "B", cell: ({ b }) => <Untrusted max={80}>{b.simulated ? "simulated" : b.address}</Untrusted> },
              { name: "Pairs", isNumber: true, cell: ({ pairs }) => String(pairs) }
            ]}
          />
        )
      }
    </Answer>
  </Section>
)

/** Every load test of the folder of reports, and every comparison of two services. */
const LoadScreen = () => (
  <Page title="Load tests" lead="How fast the service responds under load, newest test first.">
    <Answer of={useAtomValue(loads)} what="load tests" onRetry={() => registry.refresh(loads)}>
      {(rows) =>
        !isFile && rows.length === 0 ? (
          <Message icon={Gauge} title="No load tests yet">
            <p>
              A load test starts runs and browsers at a steady rate, and shows percentiles, thresholds and a comparison
              with earlier tests here.
            </p>
            <Command label="Command that runs a short load test" words="load smoke" />
          </Message>
        ) : (
          <Table
            label="Load tests"
            rows={rows}
            keyOf={({ run, test }) => JSON.stringify([run, test])}
            columns={[
              {
                name: "Test",
                cell: ({ run, test }) => (
                  <Link to={loadAddress(run, test)} data-row>
                    <Untrusted max={80}>{test}</Untrusted>
                  </Link>
                )
              },
              { name: "Result", cell: ({ verdict }) => <Status of={verdict} /> },
              { name: "Started", cell: ({ startedAt }) => <Time at={startedAt} /> },
              { name: "Starts per s", isNumber: true, cell: ({ rate }) => String(rate) },
              { name: "Requests per s", isNumber: true, cell: ({ throughput }) => throughput.toFixed(1) },
              { name: "p50", isNumber: true, cell: ({ requests }) => span(requests.p50) },
              { name: "p95", isNumber: true, cell: ({ requests }) => span(requests.p95) },
              { name: "p99", isNumber: true, cell: ({ requests }) => span(requests.p99) },
              { name: "Failed", isNumber: true, cell: ({ errors }) => percent(errors) },
              {
                name: "Crossed",
                cell: ({ crossed }) => <Untrusted max={120}>{crossed.join(", ") || "–"}</Untrusted>
              }
            ]}
          />
        )
      }
    </Answer>
    <Comparisons />
  </Page>
)

export default LoadScreen
