import { ScrollText } from "lucide-react"
import { isWhole, pagesOf, rowsOf } from "../../state/pages.ts"
import { registry, useAtom } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button } from "../../ui/Button.tsx"
import { count } from "../../ui/format.ts"
import { Message } from "../../ui/Message.tsx"
import { More } from "../../ui/More.tsx"
import { Page } from "../../ui/Page.tsx"
import { Table } from "../../ui/Table.tsx"
import { Tabs } from "../../ui/Tabs.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { eventTabs } from "./tabs.ts"

const entries = pagesOf((client, at) => client.audit.list({ query: { limit: 100, ...at } }))

const outcome = (status: number): string => (status < 300 ? "Done" : `Refused (${status})`)

/** Every change that someone made, or tried to make, through this console or the admin API. */
const AuditScreen = () => {
  const [result, more] = useAtom(entries)
  return (
    <Page
      title="Audit log"
      lead="Who changed what, newest first."
      actions={<Button onClick={() => registry.refresh(entries)}>Read again</Button>}
    >
      <Tabs label="Views of events" tabs={eventTabs} />
      <Answer of={result} what="audit log" onRetry={() => registry.refresh(entries)}>
        {({ items }) => {
          const rows = rowsOf(items)
          if (rows.length === 0) {
            return (
              <Message icon={ScrollText} title="No changes yet">
                <p>Changes through this console and the admin API appear here.</p>
              </Message>
            )
          }
          return (
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
