import type { RunPage } from "@webagent/harness-api"
import * as Effect from "effect/Effect"
import { ListChecks } from "lucide-react"
import { useState } from "react"
import { registry, useAtomValue } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { count, span } from "../../ui/format.ts"
import { usd } from "../state/cost.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { Page } from "../../ui/Page.tsx"
import { Status } from "../../ui/Status.tsx"
import { Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { More } from "../../ui/More.tsx"
import { statusOf, titleOf } from "../run/status.ts"
import { runAddress } from "../state/address.ts"
import { read } from "../state/source.ts"
import { Command } from "../state/Command.tsx"

/** Runs on one page of the list. */
const pageSize = 100

const runs = read("runs", (source) => source.runs({ limit: pageSize }))

/** The runs after those of a page, which a person asked for. */
const readMore = (before: string, put: (page: RunPage) => void) => {
  const next = read("runs", (source) =>
    Effect.tap(source.runs({ before, limit: pageSize }), (page) => Effect.sync(() => put(page)))
  )
  registry.mount(next)
}

/** Every run of the folder of reports. */
const RunsScreen = () => {
  const result = useAtomValue(runs)
  const [more, setMore] = useState<ReadonlyArray<RunPage>>([])
  return (
    <Page title="Runs" lead="Every run in the reports folder, newest first.">
      <Answer of={result} what="runs" onRetry={() => registry.refresh(runs)}>
        {(page) => {
          const rows = [page, ...more].flatMap((one) => one.rows)
          const next = (more.at(-1) ?? page).next
          // the page of a file leads here only if it has runs
          return !isFile && rows.length === 0 ? (
            <Message icon={ListChecks} title="No runs yet">
              <p>Run suites here, or in a terminal. Each run writes a folder with its report, which this page reads.</p>
              <Link to="/suites">Select suites to run</Link>
              <Command label="Command that runs every suite" words="run" />
            </Message>
          ) : (
            <>
              <Table
                label="Runs"
                rows={rows}
                keyOf={({ id }) => id}
                columns={[
                  {
                    name: "Run",
                    cell: (run) => (
                      <Link to={runAddress(run.id)} data-row>
                        <Untrusted max={120}>{titleOf(run)}</Untrusted>
                      </Link>
                    )
                  },
                  { name: "Status", cell: (run) => <Status of={statusOf(run)} /> },
                  {
                    name: "Passed",
                    isNumber: true,
                    cell: ({ counts, scenarios }) =>
                      counts === null
                        ? `of ${count(scenarios)}`
                        : `${count(counts.passed)} of ${count(scenarios - counts.skipped)}`
                  },
                  { name: "Started", cell: ({ startedAt }) => <Time at={startedAt} /> },
                  {
                    name: "Took",
                    isNumber: true,
                    cell: ({ duration_ms }) => (duration_ms === null ? "–" : span(duration_ms))
                  },
                  { name: "Cost", isNumber: true, cell: ({ cost_usd }) => usd(cost_usd) },
                  { name: "Target", cell: ({ target }) => <Untrusted max={60}>{target.name}</Untrusted> }
                ]}
              />
              <More
                isDone={next === null}
                isWaiting={false}
                onMore={() => (next === null ? undefined : readMore(next, (one) => setMore([...more, one])))}
              />
            </>
          )
        }}
      </Answer>
    </Page>
  )
}

export default RunsScreen
