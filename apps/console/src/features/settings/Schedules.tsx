import { Console } from "../../state/client.ts"
import { registry, useAtomValue } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Link } from "../../ui/Link.tsx"
import { Section } from "../../ui/Page.tsx"
import { Status } from "../../ui/Status.tsx"
import { Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"

const schedules = Console.query("schedules", "list", {})

/** The schedules that the user sees, with the next and the last run of each. The admin API changes them. */
export const Schedules = () => (
  <Section title="Schedules">
    <Answer of={useAtomValue(schedules)} what="schedules" onRetry={() => registry.refresh(schedules)}>
      {(rows) =>
        rows.length === 0 ? (
          <p>There are no schedules. Create one with the admin API.</p>
        ) : (
          <Table
            label="Schedules"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { name: "Name", cell: ({ name }) => <Untrusted>{name}</Untrusted> },
              { name: "Key", isExtra: true, cell: ({ owner }) => owner ?? "" },
              { name: "Times", cell: ({ cron, timeZone }) => <Untrusted>{`${cron} ${timeZone}`}</Untrusted> },
              { name: "State", cell: ({ active }) => <Status of={active ? "active" : "paused"} /> },
              { name: "Next run", cell: ({ nextAt }) => (nextAt === null ? "" : <Time at={nextAt} />) },
              {
                name: "Last run",
                cell: ({ lastDueAt, lastError, lastRunId }) =>
                  lastError !== null ? (
                    <Untrusted>{lastError}</Untrusted>
                  ) : lastRunId === null || lastDueAt === null ? (
                    ""
                  ) : (
                    <Link to={`/runs/${encodeURIComponent(lastRunId)}`}>
                      <Time at={lastDueAt} />
                    </Link>
                  )
              }
            ]}
          />
        )
      }
    </Answer>
  </Section>
)
