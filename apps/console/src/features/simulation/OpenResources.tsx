import * as AsyncResult from "effect/reactivity/AsyncResult"
import { CircleCheck } from "lucide-react"
import type { ReactNode } from "react"
import { reason } from "../../state/client.ts"
import { say } from "../../state/notices.ts"
import { useChange } from "../../state/react.ts"
import { Button } from "../../ui/Button.tsx"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { Section } from "../../ui/Page.tsx"
import { Status } from "../../ui/Status.tsx"
import { Table } from "../../ui/Table.tsx"
import { dateTime } from "../../ui/format.ts"
import { cancelRun, dropConnections, type Facts, readAgain, stopSession } from "./simulation.state.ts"

interface Resource {
  readonly id: string
  readonly since_ms: number
  readonly to: string
  readonly status: string
  readonly action: ReactNode
}

const Resources = ({ name, rows }: { readonly name: string; readonly rows: ReadonlyArray<Resource> }) =>
  rows.length === 0 ? null : (
    <Section title={name}>
      <Table
        label={name}
        rows={rows}
        keyOf={({ id }) => id}
        columns={[
          {
            name: "ID",
            cell: ({ id, to }) => (
              <Link to={to}>
                <code>{id}</code>
              </Link>
            )
          },
          { name: "Status", cell: ({ status }) => <Status of={status} /> },
          { name: "Since (service time)", cell: ({ since_ms }) => dateTime(since_ms) },
          { name: "Actions", isUnseen: true, cell: ({ action }) => action }
        ]}
      />
    </Section>
  )

/** Runs, sessions and browsers that are not over. */
export const OpenResources = ({ facts: { open } }: { readonly facts: Facts }) => {
  const done = (change: AsyncResult.AsyncResult<unknown, unknown>) => {
    if (AsyncResult.isFailure(change)) say(reason(change))
    readAgain()
  }
  const [cancel, isDisabled] = useChange(cancelRun, done)
  const [stop] = useChange(stopSession, done)
  const [drop] = useChange(dropConnections, done)
  if (open.turns.length + open.sessions.length + open.browsers.length === 0) {
    return (
      <Message icon={CircleCheck} title="No open resources">
        <p>If this screen is empty after a test, the test left no resources that cost money.</p>
      </Message>
    )
  }
  return (
    <>
      <Resources
        name="Runs"
        rows={open.turns.map(({ createdAt_ms, id, status }) => ({
          id,
          status,
          since_ms: createdAt_ms,
          to: `/runs/${id}`,
          action: (
            <Button
              kind="danger"
              disabled={isDisabled}
              aria-label={`Cancel run ${id}`}
              onClick={() => cancel({ params: { run_id: id } })}
            >
              Cancel
            </Button>
          )
        }))}
      />
      <Resources
        name="Sessions"
        rows={open.sessions.map(({ createdAt_ms, id }) => ({
          id,
          status: "active",
          since_ms: createdAt_ms,
          to: `/runs?session=${id}`,
          action: (
            <Button
              kind="danger"
              disabled={isDisabled}
              aria-label={`Stop session ${id}`}
              onClick={() => stop({ params: { session_id: id } })}
            >
              Stop
            </Button>
          )
        }))}
      />
      <Resources
        name="Browsers"
        rows={open.browsers.map(({ id, startedAt_ms }) => ({
          id,
          status: "active",
          since_ms: startedAt_ms,
          to: `/browsers/${id}`,
          action: (
            <Button
              disabled={isDisabled}
              aria-label={`Drop the connections of browser ${id}`}
              onClick={() => drop({ params: { browser_id: id } })}
            >
              Drop connections
            </Button>
          )
        }))}
      />
    </>
  )
}
