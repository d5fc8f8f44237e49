import type { Webhook } from "@webagent/admin"
import { Console } from "../../state/client.ts"
import { Status } from "../../ui/Status.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { OwnedTable } from "./OwnedTable.tsx"

const webhooks = Console.query("webhooks", "list", {})

/** The reason why the newest message wasn't delivered, or the status that it got. */
const outcomeOf = ({ lastDelivery }: Webhook): string => {
  if (lastDelivery === null) return ""
  const { attempts, error, response } = lastDelivery
  const tries = attempts > 1 ? ` after ${attempts} attempts` : ""
  return `${error ?? (response === null ? "Not sent yet" : `HTTP ${response}`)}${tries}`
}

/** The webhooks that the user sees, with the newest message of each. */
export const Webhooks = () => (
  <OwnedTable
    title="Webhooks"
    what="webhooks"
    of={webhooks}
    command="webhooks create https://app.example/hook"
    ownerOf={({ everyKey, owner }) => (everyKey ? "every key" : (owner ?? ""))}
    columns={[
      { name: "Address", cell: ({ url }) => <Untrusted>{url}</Untrusted> },
      { name: "Events", isExtra: true, cell: ({ events }) => events.join(", ") },
      {
        name: "Last message",
        cell: ({ active, lastDelivery }) => <Status of={active ? (lastDelivery?.status ?? "unused") : "inactive"} />
      },
      { name: "Outcome", cell: (webhook) => <Untrusted>{outcomeOf(webhook)}</Untrusted> },
      {
        name: "Time",
        cell: ({ lastDelivery }) => (lastDelivery === null ? "" : <Time at={lastDelivery.createdAt} />)
      }
    ]}
  />
)
