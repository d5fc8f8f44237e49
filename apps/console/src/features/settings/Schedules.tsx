import { Console } from "../../state/client.ts"
import { Link } from "../../ui/Link.tsx"
import { Status } from "../../ui/Status.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { OwnedTable } from "./OwnedTable.tsx"

const schedules = Console.query("schedules", "list", {})

/** The schedules that the user sees, with the next and the last run of each. */
export const Schedules = () => (
  <OwnedTable
    title="Schedules"
    what="schedules"
    of={schedules}
    command="schedules create --name nightly --cron '0 6 * * *' --task TASK"
    ownerOf={({ owner }) => owner ?? ""}
    columns={[
      { name: "Name", cell: ({ name }) => <Untrusted>{name}</Untrusted> },
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
