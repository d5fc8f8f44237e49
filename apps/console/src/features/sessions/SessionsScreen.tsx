import * as AsyncResult from "effect/reactivity/AsyncResult"
import { Layers } from "lucide-react"
import { lazy, Suspense, useState } from "react"
import { Console, reason } from "../../state/client.ts"
import { say } from "../../state/notices.ts"
import { isWhole, pagesOf, rowsOf } from "../../state/pages.ts"
import { registry, useAtom, useChange } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button } from "../../ui/Button.tsx"
import { count } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { More } from "../../ui/More.tsx"
import { Page } from "../../ui/Page.tsx"
import { Short } from "../../ui/Short.tsx"
import { Status } from "../../ui/Status.tsx"
import { Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import styles from "./SessionsScreen.module.css"

const Confirm = lazy(() => import("../../ui/Confirm.tsx"))

const sessions = pagesOf((client, at) => client.sessions.list({ query: { limit: 50, ...at } }))
const stopSession = Console.mutation("sessions", "stop")
const purgeSession = Console.mutation("sessions", "purge")

/** The change that is to be confirmed. */
interface Asked {
  readonly what: "stop" | "purge"
  readonly id: string
}

const texts = {
  stop: {
    title: "Stop this session?",
    action: "Stop the session",
    text: "Its runs are cancelled, and its browser stops."
  },
  purge: {
    title: "Delete this session?",
    action: "Delete the session",
    text: "The session stops, and its runs, results, pictures and recording are permanently deleted."
  }
} as const

/** Sessions of all API versions: runs that follow one another in one browser. */
const SessionsScreen = () => {
  const [result, more] = useAtom(sessions)
  const changed = (change: AsyncResult.AsyncResult<unknown, unknown>) => {
    if (AsyncResult.isFailure(change)) say(reason(change))
    registry.refresh(sessions)
  }
  const [stop] = useChange(stopSession, changed)
  const [purge] = useChange(purgeSession, changed)
  const [asked, ask] = useState<Asked | undefined>(undefined)
  return (
    <Page title="Sessions" lead="A session keeps one browser open for several runs, one after the other.">
      <Answer of={result} what="sessions" onRetry={() => registry.refresh(sessions)}>
        {({ items }) => {
          const rows = rowsOf(items)
          if (rows.length === 0) {
            return (
              <Message icon={Layers} title="No sessions yet">
                <p>Each run starts a session, and a follow-up continues it.</p>
              </Message>
            )
          }
          return (
            <>
              <Table
                label="Sessions"
                rows={rows}
                keyOf={({ id }) => id}
                columns={[
                  {
                    name: "Session",
                    cell: ({ id }) => (
                      <Link to={`/runs?session=${encodeURIComponent(id)}`} title="Show its runs">
                        <code className={styles["id"]}>{id}</code>
                      </Link>
                    )
                  },
                  {
                    name: "Last task",
                    cell: ({ lastRun = null }) =>
                      lastRun === null ? (
                        "–"
                      ) : (
                        <Link to={`/runs/${lastRun.id}`} className={styles["task"]}>
                          <Untrusted max={80}>{lastRun.title ?? lastRun.task}</Untrusted>
                        </Link>
                      )
                  },
                  { name: "Status", cell: ({ status }) => <Status of={status} /> },
                  { name: "Runs", isNumber: true, cell: ({ runs }) => count(runs) },
                  { name: "Key", cell: ({ owner }) => <Untrusted>{owner ?? "–"}</Untrusted> },
                  { name: "Node", cell: ({ node }) => <Short of={node} /> },
                  { name: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
                  {
                    name: "Actions",
                    isUnseen: true,
                    cell: ({ id, status }) => (
                      <>
                        {status === "stopped" ? null : (
                          <Button aria-label={`Stop session ${id}`} onClick={() => ask({ what: "stop", id })}>
                            Stop
                          </Button>
                        )}{" "}
                        <Button
                          kind="danger"
                          aria-label={`Delete session ${id}`}
                          onClick={() => ask({ what: "purge", id })}
                        >
                          Delete
                        </Button>
                      </>
                    )
                  }
                ]}
              />
              <More isDone={isWhole(items)} isWaiting={result.waiting} onMore={more} />
            </>
          )
        }}
      </Answer>
      {asked === undefined ? null : (
        <Suspense>
          <Confirm
            title={texts[asked.what].title}
            action={texts[asked.what].action}
            onClose={() => ask(undefined)}
            onConfirm={() => (asked.what === "stop" ? stop : purge)({ params: { session_id: asked.id } })}
          >
            {texts[asked.what].text}
          </Confirm>
        </Suspense>
      )}
    </Page>
  )
}

export default SessionsScreen
