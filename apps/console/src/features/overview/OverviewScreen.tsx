import type { RunPage, ServerInfo, Spend } from "@webagent/admin"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { Check, Circle, CloudOff, Play } from "lucide-react"
import type { ReactNode } from "react"
import { isSimulated, reason, serverInfo, signInState } from "../../state/client.ts"
import { runRow } from "../../state/live.ts"
import { registry, useAtomValue } from "../../state/react.ts"
import { valueOf } from "../../state/runs.ts"
import { buttonClass } from "../../ui/Button.tsx"
import { count, counted, usd } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Failed, Loading } from "../../ui/Message.tsx"
import { Page, Section } from "../../ui/Page.tsx"
import { Status } from "../../ui/Status.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { Inbox } from "../inbox/Inbox.tsx"
import { runFacts, serverFacts } from "./overview.state.ts"
import styles from "./OverviewScreen.module.css"

interface FigureProps {
  readonly label: string
  readonly value: ReactNode
  /** Address of the screen that shows more. */
  readonly to?: string
  readonly tone?: "bad" | "busy"
  readonly children?: ReactNode
}

const Figure = ({ children, label, to, tone, value }: FigureProps) => {
  const content = (
    <>
      <span className={styles["label"]}>{label}</span>
      <span className={styles["value"]} data-tone={value === "0" ? undefined : tone}>
        {value}
      </span>
      {children === undefined ? null : <span className={styles["more"]}>{children}</span>}
    </>
  )
  return (
    <li className={styles["figure"]}>{to === undefined ? <div>{content}</div> : <Link to={to}>{content}</Link>}</li>
  )
}

const RunLine = ({ id }: { readonly id: string }) => {
  const run = useAtomValue(runRow(id))
  if (run === undefined) return null
  return (
    <li>
      <Link to={`/runs/${id}`}>
        <Status of={run.status} />
        <span className={styles["task"]}>
          <Untrusted max={120}>{run.title ?? run.task}</Untrusted>
          {run.error === null ? null : (
            <small>
              <Untrusted max={120}>{run.error}</Untrusted>
            </small>
          )}
        </span>
        <span className={styles["when"]}>
          <Time at={run.createdAt} />
        </span>
      </Link>
    </li>
  )
}

interface RunsProps {
  readonly title: string
  readonly ids: ReadonlyArray<string>
  readonly to: string
  readonly empty: string
}

const Runs = ({ empty, ids, title, to }: RunsProps) => (
  <Section
    title={title}
    actions={
      <Link to={to} className={styles["all"]} aria-label={`All: ${title}`}>
        All
      </Link>
    }
  >
    {ids.length === 0 ? (
      <p className={styles["empty"]}>{empty}</p>
    ) : (
      <ul className={styles["runs"]}>
        {ids.map((id) => (
          <RunLine key={id} id={id} />
        ))}
      </ul>
    )}
  </Section>
)

/** A simulated service has room for any number of browsers. */
const mostRoom = 10_000

const days = 14

/** The cost of the last two weeks as bars. The numbers are in its label and in a table for screen readers. */
const Bars = ({ spend }: { readonly spend: Spend }) => {
  const rows = spend.rows
    .filter(({ day }) => day !== null)
    .toSorted((a, b) => ((a.day ?? "") < (b.day ?? "") ? -1 : 1))
    .slice(-days)
  const most = Math.max(...rows.map((row) => Number(row.usd)), 0)
  if (most === 0) return null
  return (
    <svg
      className={styles["bars"]}
      viewBox={`0 0 ${days * 8} 24`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Cost of ${counted(rows.length, "day")}, at most ${usd(most)} per day`}
    >
      {rows.map((row, index) => {
        const height = Math.max(1, (Number(row.usd) / most) * 22)
        return (
          <rect
            key={row.day}
            x={(days - rows.length + index) * 8 + 1}
            y={24 - height}
            width={6}
            height={height}
            rx={1}
          />
        )
      })}
    </svg>
  )
}

interface ChecklistProps {
  readonly info: ServerInfo
  /** True if there is no sign-in: then this is the simulated service, with the key `wak_test`. */
  readonly isOpen: boolean
  readonly hasRuns: boolean
  readonly keys: number
}

/** First steps on a new server, until its first run. */
const Checklist = ({ hasRuns, info, isOpen, keys }: ChecklistProps) => {
  if (hasRuns) return null
  const isMadeUp = isSimulated(info)
  const items: ReadonlyArray<readonly [isDone: boolean, text: ReactNode]> = [
    [
      isOpen || keys > 0 || !info.key.admin,
      isOpen ? (
        "A key: the simulated service accepts wak_test"
      ) : !info.key.admin ? (
        "A key: the one you signed in with"
      ) : keys > 0 ? (
        "A key for your app"
      ) : (
        <>
          A key for your app. <Link to="/keys">Create one</Link>
        </>
      )
    ],
    [
      isMadeUp || info.model !== null,
      isMadeUp ? (
        "A model: simulated. Runs cost nothing, and the costs that you see are made up"
      ) : info.model === null ? (
        <>
          A model: start the server with <code>--model DIALECT:NAME</code>
        </>
      ) : (
        `A model: ${info.model}`
      )
    ],
    [
      false,
      info.key.operations.includes("runs.create") ? (
        <>
          A first run. <Link to="/start">Start one</Link>
        </>
      ) : (
        "A first run"
      )
    ]
  ]
  return (
    <Section title="First steps">
      <ol className={styles["checklist"]}>
        {items.map(([isDone, text], index) => (
          <li key={index} data-done={isDone}>
            {isDone ? <Check aria-label="Done:" /> : <Circle aria-label="To do:" />}
            <span>{text}</span>
          </li>
        ))}
      </ol>
    </Section>
  )
}

const today = (spend: Spend | undefined): string | undefined =>
  spend?.rows.find(({ day }) => day === new Date().toISOString().slice(0, 10))?.usd ??
  (spend === undefined ? undefined : "0")

/** The number of runs with a status, which is capped by the server. */
const total = (counts: RunPage["counts"] | undefined, status: string): string => {
  const { count: n, more } = counts?.[status] ?? { count: 0, more: false }
  return `${count(n)}${more ? "+" : ""}`
}

/** One short sentence about the browsers of a server. The screen Settings has all of it. */
const browsersText = (info: ServerInfo): string =>
  isSimulated(info)
    ? "This service is simulated: it opens no browsers, and makes up steps, results and costs."
    : `Browsers: ${info.browsers.split(/[,;:(]/u, 1)[0]?.trim() ?? ""}`

/** The newest, running and failed runs, the cost and the browsers in use. */
const OverviewScreen = () => {
  const result = useAtomValue(runFacts)
  const info = valueOf(useAtomValue(serverInfo))
  const server = valueOf(useAtomValue(serverFacts))
  const isOpen = valueOf(useAtomValue(signInState))?.state === "open"
  if (AsyncResult.isFailure(result) && !result.waiting) {
    return (
      <Failed
        icon={CloudOff}
        title="Couldn't load the overview"
        reason={reason(result)}
        onRetry={() => registry.refresh(runFacts)}
        whole
      />
    )
  }
  const facts = valueOf(result)
  const inStatus = (status: string) => total(facts?.counts, status)
  const starting = inStatus("dispatching")
  const room = server?.nodes.reduce((sum, node) => sum + node.room, 0)
  const inUse = server?.browsers.length ?? 0
  const driven = server?.browsers.filter((browser) => browser.agentSessionId === null).length ?? 0
  const spent = today(server?.spend)
  return (
    <Page
      title="Overview"
      lead={info === undefined ? undefined : browsersText(info)}
      actions={
        info === undefined || info.key.operations.includes("runs.create") ? (
          <Link to="/start" className={buttonClass("primary")}>
            <Play aria-hidden />
            Start a run
          </Link>
        ) : null
      }
    >
      {facts === undefined ? (
        <Loading what="the overview" />
      ) : (
        <>
          <ul className={styles["figures"]} aria-label="Figures">
            <Figure label="Running" value={inStatus("running")} to="/runs?status=running" tone="busy">
              {starting === "0" ? "" : `${starting} starting`}
            </Figure>
            <Figure label="Queued" value={inStatus("queued")} to="/runs?status=queued" />
            <Figure
              label="Failed today (UTC)"
              value={total(facts.countsOfToday, "failed")}
              to={`/runs?status=failed&from=${encodeURIComponent(facts.today)}`}
              tone="bad"
            />
            <Figure label="Completed" value={inStatus("completed")} to="/runs?status=completed" />
            {server === undefined ? null : (
              <Figure label="Browsers in use" value={count(inUse)} to="/wall">
                {[
                  ...(room === undefined || server.nodes.length === 0 || room > mostRoom
                    ? []
                    : [`of ${count(inUse + room)}`]),
                  ...(driven === 0 ? [] : [`${count(driven)} driven by code`])
                ].join(", ")}
              </Figure>
            )}
            {spent === undefined ? null : (
              <Figure label="Spent today (UTC)" value={usd(spent)} to="/spend">
                {server?.spend === undefined ? null : <Bars spend={server.spend} />}
              </Figure>
            )}
            {server === undefined || server.nodes.length < 2 ? null : (
              <Figure label="Nodes" value={count(server.nodes.length)} to="/nodes">
                {server.nodes.some(({ draining }) => draining) ? "some are draining" : ""}
              </Figure>
            )}
          </ul>
          {info === undefined ? null : (
            <Checklist isOpen={isOpen} info={info} hasRuns={facts.newest.length > 0} keys={server?.keys.length ?? 0} />
          )}
          <Inbox />
          <div className={styles["columns"]}>
            <Runs title="Running" ids={facts.running} to="/runs?status=running" empty="No runs are running." />
            <Runs title="Latest failures" ids={facts.failed} to="/runs?status=failed" empty="No runs have failed." />
            <Runs title="Newest" ids={facts.newest} to="/runs" empty="No runs yet." />
          </div>
        </>
      )}
    </Page>
  )
}

export default OverviewScreen
