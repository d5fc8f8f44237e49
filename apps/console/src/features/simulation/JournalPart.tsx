import { entryTypes, type JournalEntry } from "@webagent/control"
import * as AsyncResult from "effect/reactivity/AsyncResult"
import { BookOpen, Pause, Play, SearchX } from "lucide-react"
import { Suspense, useEffect, useState } from "react"
import { go, place } from "../../state/place.ts"
import { registry, useAtomMount, useAtomValue } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button, buttonClass } from "../../ui/Button.tsx"
import { count, counted, dateTime, timeOfDay } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { rowKeys } from "../../ui/rowKeys.ts"
import { Status } from "../../ui/Status.tsx"
import { Table } from "../../ui/Table.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { filterOperations, type FilterTexts, filtersOf, textOf } from "./journalFilter.ts"
import { RowDialog } from "./RowDialog.tsx"
import { type Facts, type JournalRows, journalRows, journalWindow } from "./simulation.state.ts"
import styles from "./Simulation.module.css"
import { entryText, outcomeText, tookText } from "./texts.ts"

/** Number of rows that are in the page at first, and that each click adds. */
const step = 100

const address = (filters: Parameters<typeof textOf>[0]) => `/simulation/journal${textOf(filters)}`

/** The address of a row, with the filters in force. */
const rowAddress = (text: string, seq: number): string =>
  `/simulation/journal${text}${text === "" ? "?" : "&"}row=${seq}`

const Filters = ({ filters }: { readonly filters: FilterTexts }) => {
  const set = (name: keyof FilterTexts, value: string) =>
    go(address({ ...filters, [name]: value.trim() || undefined }), { replace: name === "resource" })
  return (
    <>
      <select
        className={styles["select"]}
        aria-label="Kind of row"
        value={filters.type ?? ""}
        onChange={({ currentTarget: { value } }) => set("type", value)}
      >
        <option value="">All kinds</option>
        {entryTypes.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </select>
      <select
        className={styles["select"]}
        aria-label="Operation"
        value={filters.operation ?? ""}
        onChange={({ currentTarget: { value } }) => set("operation", value)}
      >
        <option value="">All operations</option>
        {filterOperations.map((operation) => (
          <option key={operation}>{operation}</option>
        ))}
      </select>
      <input
        key={filters.resource ?? ""}
        type="search"
        className={styles["select"]}
        aria-label="ID of a run, session or browser"
        placeholder="Resource ID"
        defaultValue={filters.resource ?? ""}
        maxLength={200}
        onKeyDown={({ currentTarget, key }) => (key === "Enter" ? set("resource", currentTarget.value) : undefined)}
        onBlur={({ currentTarget: { value } }) =>
          value.trim() === (filters.resource ?? "") ? undefined : set("resource", value)
        }
      />
    </>
  )
}

interface RowsProps {
  readonly text: string
  readonly rows: JournalRows
}

const Rows = ({ rows: { dropped, entries, start }, text }: RowsProps) => {
  const [shown, show] = useState(step)
  const newest = entries.slice(-shown).toReversed()
  const hasMore = shown < entries.length
  const hasOlder = !hasMore && text === "" && start > dropped
  return (
    <>
      <Table
        label="Journal"
        rows={newest}
        keyOf={({ seq }) => String(seq)}
        columns={[
          {
            name: "Row",
            cell: ({ seq }: JournalEntry) => (
              <Link to={rowAddress(text, seq)} data-row className={styles["row"]} aria-label={`Open row ${seq}`}>
                {seq}
              </Link>
            )
          },
          {
            name: "Service time",
            cell: ({ at_ms }) => (
              <time className={styles["time"]} dateTime={new Date(at_ms).toISOString()} title={dateTime(at_ms)}>
                {timeOfDay(at_ms)}
              </time>
            )
          },
          { name: "Kind", cell: ({ type }) => <Status of={type} /> },
          { name: "Event", cell: (entry) => <Untrusted max={160}>{entryText(entry)}</Untrusted> },
          { name: "Response", cell: (entry) => <Untrusted max={80}>{outcomeText(entry)}</Untrusted> },
          { name: "Took", isNumber: true, cell: tookText }
        ]}
      />
      {hasMore || hasOlder ? (
        <div>
          <Button
            onClick={() => {
              show(shown + step)
              if (hasOlder) registry.set(journalWindow, registry.get(journalWindow) + 1000)
            }}
          >
            Show older rows
          </Button>
        </div>
      ) : null}
    </>
  )
}

/** The journal of the service, newest first: filtered, followed, and one row in detail. */
export const JournalPart = ({ facts: { journal } }: { readonly facts: Facts }) => {
  const { search } = useAtomValue(place)
  const filters = filtersOf(search)
  const text = textOf(filters)
  const rows = journalRows(text)
  const result = useAtomValue(rows)
  useAtomMount(journalWindow)
  const [frozen, freeze] = useState<JournalRows | undefined>(undefined)
  useEffect(rowKeys, [])
  const opened = /^[1-9]\d{0,14}$/u.exec(new URLSearchParams(search).get("row") ?? "")?.[0]
  const newer = frozen === undefined ? 0 : Math.max(0, journal.written - frozen.next)
  const newest = AsyncResult.isSuccess(result) ? result.value : undefined
  return (
    <>
      <div className={styles["bar"]}>
        <Filters filters={filters} />
        {frozen === undefined ? (
          <Button disabled={newest === undefined} onClick={() => freeze(newest)}>
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
          {counted(journal.written, "row")}
          {journal.dropped === 0 ? "" : `, the oldest ${count(journal.dropped)} were dropped`}
        </span>
      </div>
      <Answer of={result} what="journal" onRetry={() => registry.refresh(rows)}>
        {(read) => {
          const shown = frozen ?? read
          if (shown.entries.length > 0) return <Rows key={text} rows={shown} text={text} />
          return text === "" ? (
            <Message icon={BookOpen} title="The journal is empty">
              <p>Point your app at this service. Each request, fault and run change appears here as it happens.</p>
              <Link to="/start" className={buttonClass()}>
                Start a run
              </Link>
            </Message>
          ) : (
            <Message icon={SearchX} title="No rows match these filters">
              <Link to="/simulation/journal" className={buttonClass()}>
                Clear the filters
              </Link>
            </Message>
          )
        }}
      </Answer>
      {opened === undefined ? null : (
        <Suspense>
          <RowDialog seq={Number(opened)} onClose={() => go(address(filters))} />
        </Suspense>
      )}
    </>
  )
}
