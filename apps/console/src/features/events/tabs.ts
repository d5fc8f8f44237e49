import type { Tab } from "../../ui/Tabs.tsx"

/** The two views of what happened: changes of records, and who made them. */
export const eventTabs: ReadonlyArray<Tab> = [
  { to: "/events", text: "Changes" },
  { to: "/events/audit", text: "Audit log" }
]
