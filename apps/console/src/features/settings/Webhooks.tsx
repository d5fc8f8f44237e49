import type { Webhook } from "@webagent/admin"
import { Console } from "../../state/client.ts"
import { registry, useAtomValue } from "../../state/react.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Section } from "../../ui/Page.tsx"
import { Status } from "../../ui/Status.tsx"
import { Table } from "../../ui/Table.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"

const webhooks = Console.query("webhooks", "list", {})

/** The reason why the newest message wasn't delivered, or the status that it got. */
const outcomeOf = ({ lastDelivery }: Webhook): string => {
  if (lastDelivery === null) return ""
  const { attempts, error, response } = lastDelivery
  const tries = attempts > 1 ? ` after ${attempts} attempts` : ""
  return `${error ?? (response === null ? "Not sent yet" : `HTTP ${response}`)}${tries}`
}

/** The webhooks that the user sees, with the newest message of each. The admin API changes them. */
export const Webhooks = () => (
  <Section title="Webhooks">
    <Answer of={useAtomValue(webhooks)} what="webhooks" onRetry={() => registry.refresh(webhooks)}>
      {(rows) =>
        rows.length === 0 ? (
          <p>There are no webhooks. Create one with the admin API.</p>
        ) : (
          <Table
            label="Webhooks"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { name: "Address", cell: ({ url }) => <Untrusted>{url}</Untrusted> },
              { name: "Key", isExtra: true, cell: ({ everyKey, owner }) => (everyKey ? "every key" : (owner ?? "")) },
              { name: "Events", isExtra: true, cell: ({ events }) => events.join(", ") },
              {
                name: "Last message",
                cell: ({ active, lastDelivery }) => (
                  <Status of={active ? (lastDelivery?.status ?? "unused") : "inactive"} />
                )
              },
              { name: "Outcome", cell: (webhook) => <Untrusted>{outcomeOf(webhook)}</Untrusted> },
              {
                name: "Time",
                cell: ({ lastDelivery }) => (lastDelivery === null ? "" : <Time at={lastDelivery.createdAt} />)
              }
            ]}
          />
        )
      }
    </Answer>
  </Section>
)
