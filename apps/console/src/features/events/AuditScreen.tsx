import * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"
import { Pause, Play, ScrollText, SearchX } from "lucide-react"
import { useEffect, useState } from "react"
import { isWhole, pagesOf, rowsOf } from "../../state/pages.ts"
import { go, place } from "../../state/place.ts"
import { registry, useAtom, useAtomValue } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button, buttonClass } from "../../ui/Button.tsx"
import { count } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Message } from "../../ui/Message.tsx"
import { More } from "../../ui/More.tsx"
import { Page } from "../../ui/Page.tsx"
import { Table } from "../../ui/Table.tsx"
import { Tabs } from "../../ui/Tabs.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { auditFiltersOf, textOf } from "./filters.ts"
import { eventTabs } from "./tabs.ts"
import { TextFilters } from "./TextFilters.tsx"
import styles from "./EventsScreen.module.css"

/** Time between two reads of the newest entries: the server sends no event for an entry. */
const pause_ms = 5000

/** The entries that fit the filters of an address, newest first. */
const entriesOf = Atom.family((text: string) => {
  const filters = Object.fromEntries(Object.entries(auditFiltersOf(text)).filter(([, value]) => value !== ""))
  return pagesOf((client, at) => client.audit.list({ query: { limit: 100, ...filters, ...at } }))
})

const labels = { key: "Key", action: "Action", target: "Record" } as const

const outcome = (status: number): string => (status < 300 ? "Done" : `Refused (${status})`)

const Nothing = ({ text }: { readonly text: string }) =>
  text === "" ? (
    <Message icon={ScrollText} title="No changes yet">
      <p>Changes made in this console or with the admin API appear here.</p>
    </Message>
  ) : (
    <Message icon={SearchX} title="No entries match these filters">
      <p>Enter an action as a group and an operation, such as runs.cancel or keys.create.</p>
      <Link to="/events/audit" className={buttonClass()}>
        Clear the filters
      </Link>
    </Message>
  )

/** Every change that someone made, or tried to make, through this console or the admin API. */
const AuditScreen = () => {
  const { search } = useAtomValue(place)
  const filters = auditFiltersOf(search)
  const text = textOf(filters)
  const entries = entriesOf(text)
  const [result, more] = useAtom(entries)
  const [isFollowed, follow] = useState(true)
  const pages = AsyncResult.isSuccess(result) ? result.value.items.length : 0
  // a read begins with the first page, so older ones would be lost
  const mayRead = isFollowed && pages < 2
  useEffect(() => {
    if (!mayRead) return undefined
    const timer = window.setInterval(() => {
      // a refresh would interrupt a read that takes longer than the pause, and none would finish
      if (!document.hidden && !registry.get(entries).waiting) registry.refresh(entries)
    }, pause_ms)
    return () => window.clearInterval(timer)
  }, [entries, mayRead])
  return (
    <Page title="Audit log" lead="Who changed what, newest first.">
      <Tabs label="Event views" tabs={eventTabs} />
      <div className={styles["bar"]}>
        <TextFilters
          labels={labels}
          values={filters}
          onSet={(name, value) => go(`/events/audit${textOf({ ...filters, [name]: value })}`)}
        />
        {mayRead ? (
          <Button onClick={() => follow(false)}>
            <Pause aria-hidden />
            Pause
          </Button>
        ) : (
          <Button
            kind="primary"
            onClick={() => {
              registry.refresh(entries)
              follow(true)
            }}
          >
            <Play aria-hidden />
            Follow
          </Button>
        )}
      </div>
      <Answer of={result} what="audit log" onRetry={() => registry.refresh(entries)}>
        {({ items }) => {
          const rows = rowsOf(items)
          return rows.length === 0 ? (
            <Nothing text={text} />
          ) : (
            <>
              <Table
                label="Audit log"
                rows={rows}
                keyOf={({ id }) => String(id)}
                columns={[
                  { name: "Time", cell: ({ at }) => <Time at={at} /> },
                  { name: "Key", cell: ({ key }) => <Untrusted>{key}</Untrusted> },
                  { name: "Address", cell: ({ address }) => <Untrusted>{address}</Untrusted> },
                  { name: "Action", cell: ({ action }) => <Untrusted>{action}</Untrusted> },
                  {
                    name: "Records",
                    cell: ({ count: n, targets }) => (
                      <Untrusted max={120}>{`${n > 1 ? `${count(n)}: ` : ""}${targets.join(", ")}`}</Untrusted>
                    )
                  },
                  { name: "Outcome", cell: ({ status }) => outcome(status) }
                ]}
              />
              <More isDone={isWhole(items)} isWaiting={result.waiting} onMore={more} />
            </>
          )
        }}
      </Answer>
    </Page>
  )
}

export default AuditScreen
