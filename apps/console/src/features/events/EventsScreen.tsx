import { Activity, Pause, Play, SearchX } from "lucide-react"
import { useEffect, useState } from "react"
import { feed, type FeedRow, feedStart, rowOfPast } from "../../state/feed.ts"
import { connection } from "../../state/live.ts"
import { isWhole, rowsOf } from "../../state/pages.ts"
import { go, place } from "../../state/place.ts"
import { registry, useAtom, useAtomValue } from "../../state/react.ts"
import { statusWord } from "../../state/statuses.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button, buttonClass } from "../../ui/Button.tsx"
import { count, dateTime, timeOfDay } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { Page } from "../../ui/Page.tsx"
import { rowKeys } from "../../ui/rowKeys.ts"
import { Short } from "../../ui/Short.tsx"
import { Status } from "../../ui/Status.tsx"
import { Table } from "../../ui/Table.tsx"
import { Tabs } from "../../ui/Tabs.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { isLogged, pastEvents } from "./events.state.ts"
import { type Filters, filtersOf, fits, kinds, textOf } from "./filters.ts"
import { eventTabs } from "./tabs.ts"
import { TextFilters } from "./TextFilters.tsx"
import styles from "./EventsScreen.module.css"

/** Number of rows that are in the page at first, and that each click adds. */
const step = 100

/** The screen of a record; undefined if it has none. */
const screenOf = ({ id, kind, run }: FeedRow): string | undefined => {
  if (kind === "run" || kind === "step" || kind === "modelCall") return `/runs/${run ?? id}`
  if (kind === "browser" || kind === "control") return `/browsers/${id}`
  return kind === "session" ? `/runs?session=${encodeURIComponent(id)}` : undefined
}

const labels = { run: "Run ID", key: "Key", node: "Node" } as const

const FilterFields = ({ filters }: { readonly filters: Filters }) => {
  const set = (name: keyof Filters, value: string) => go(`/events${textOf({ ...filters, [name]: value })}`)
  return (
    <>
      <select
        className={styles["field"]}
        aria-label="Kind of event"
        value={filters.kind}
        onChange={({ currentTarget: { value } }) => set("kind", value)}
      >
        <option value="">All kinds</option>
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {statusWord(kind)}
          </option>
        ))}
      </select>
      <TextFilters<keyof typeof labels> labels={labels} values={filters} onSet={set} />
    </>
  )
}

const Record = ({ of: row }: { readonly of: FeedRow }) => {
  const to = screenOf(row)
  if (to === undefined) return null
  return (
    <Link to={to} data-row className={styles["record"]}>
      <code>
        <Short of={row.id} />
      </code>
    </Link>
  )
}

interface RowsProps {
  /** Newest first. */
  readonly rows: ReadonlyArray<FeedRow>
  /** Reads older rows; undefined if there are none, or while they are read. */
  readonly more?: (() => void) | undefined
}

const Rows = ({ more, rows }: RowsProps) => {
  const [shown, show] = useState(step)
  return (
    <>
      <Table
        label="Events"
        rows={rows.slice(0, shown)}
        keyOf={({ n }) => String(n)}
        columns={[
          {
            name: "Time",
            cell: ({ at_ms }) => (
              <time className={styles["short"]} dateTime={new Date(at_ms).toISOString()} title={dateTime(at_ms)}>
                {timeOfDay(at_ms)}
              </time>
            )
          },
          {
            name: "Position",
            isNumber: true,
            isExtra: true,
            cell: ({ position }) => <Untrusted max={20}>{position}</Untrusted>
          },
          { name: "Kind", cell: ({ kind }) => <Status of={kind} /> },
          { name: "Change", cell: ({ text }) => <Untrusted max={160}>{text}</Untrusted> },
          { name: "Record", cell: (row) => <Record of={row} /> },
          { name: "Key", cell: ({ key }) => <Short of={key} /> },
          { name: "Node", cell: ({ node }) => <Short of={node} /> }
        ]}
      />
      {shown < rows.length || more !== undefined ? (
        <div>
          <Button
            onClick={() => {
              show(shown + step)
              if (rows.length < shown + step) more?.()
            }}
          >
            Show older events
          </Button>
        </div>
      ) : null}
    </>
  )
}

interface ListProps {
  /** The events since the page was opened that fit, newest first. */
  readonly newer: ReadonlyArray<FeedRow>
  readonly text: string
  /** The position before which events are read from the server's log; undefined for none. */
  readonly before: number | undefined
}

const Nothing = ({ text }: { readonly text: string }) =>
  text === "" ? (
    <Message icon={Activity} title="No changes yet">
      <p>
        Each change appears here as it happens, with its position in the server&apos;s log. Your own programs can follow
        the same events at <code>/admin/v1/events</code>.
      </p>
      <Link to="/start" className={buttonClass()}>
        Start a run
      </Link>
    </Message>
  ) : (
    <Message icon={SearchX} title="No events match these filters yet">
      <p>
        {isLogged(text)
          ? "To see steps and model calls, filter by a run ID."
          : "This searches only events since you opened the page, because the server's log doesn't include nodes and model calls."}
      </p>
      <Link to="/events" className={buttonClass()}>
        Clear the filters
      </Link>
    </Message>
  )

/** New events, then those of the log. */
const Logged = ({ before, newer, text }: ListProps & { readonly before: number }) => {
  const pages = pastEvents(before, text)
  const [result, more] = useAtom(pages)
  return (
    <Answer of={result} what="older events" onRetry={() => registry.refresh(pages)}>
      {({ items }) => {
        const rows = [...newer, ...rowsOf(items).map(rowOfPast)]
        const older = isWhole(items) || result.waiting ? undefined : more
        return rows.length > 0 || !isWhole(items) ? <Rows rows={rows} more={older} /> : <Nothing text={text} />
      }}
    </Answer>
  )
}

const List = ({ before, ...props }: ListProps) =>
  before !== undefined ? (
    <Logged before={before} {...props} />
  ) : props.newer.length > 0 ? (
    <Rows rows={props.newer} />
  ) : (
    <Nothing text={props.text} />
  )

/** Changes of all records as they happen, and those before. */
const EventsScreen = () => {
  const { search } = useAtomValue(place)
  const filters = filtersOf(search)
  const all = useAtomValue(feed)
  const state = useAtomValue(connection)
  const start = useAtomValue(feedStart)
  const [frozen, freeze] = useState<ReadonlyArray<FeedRow> | undefined>(undefined)
  const text = textOf(filters)
  useEffect(rowKeys, [])
  const newer = frozen === undefined ? 0 : all.filter(({ n }) => n > (frozen.at(-1)?.n ?? 0)).length
  const rows = (frozen ?? all).filter((row) => fits(row, filters)).toReversed()
  const position = all.findLast((row) => row.position !== "")?.position
  return (
    <Page title="Events" lead="Changes to runs, sessions and browsers, newest first.">
      <Tabs label="Event views" tabs={eventTabs} />
      <div className={styles["bar"]}>
        <FilterFields filters={filters} />
        {frozen === undefined ? (
          <Button onClick={() => freeze(all)}>
            <Pause aria-hidden />
            Pause
          </Button>
        ) : (
          <Button kind="primary" onClick={() => freeze(undefined)}>
            <Play aria-hidden />
            Follow{newer === 0 ? "" : ` (${count(newer)} new)`}
          </Button>
        )}
        <span className={styles["soft"]}>
          {state === "lost" ? "Connection lost. Missed events will appear when it's back." : null}
          {state !== "lost" && position !== undefined ? `At position ${position}` : null}
        </span>
      </div>
      <List key={text} newer={rows} text={text} before={isLogged(text) ? start : undefined} />
    </Page>
  )
}

export default EventsScreen
