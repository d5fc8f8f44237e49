import type { Key } from "@webagent/admin"
import { useState } from "react"
import { serverInfo } from "../../state/client.ts"
import { registry, useAtomValue } from "../../state/react.ts"
import { valueOf } from "../../state/runs.ts"
import { Answer } from "../../ui/Answer.tsx"
import { Button } from "../../ui/Button.tsx"
import { usd } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Section } from "../../ui/Page.tsx"
import { Status } from "../../ui/Status.tsx"
import { Table } from "../../ui/Table.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { Limits } from "../keys/KeyForms.tsx"
import { keys } from "../keys/keys.state.ts"
import { isSpent } from "../keys/limits.ts"

/** Limits per day: the spend of each key today, its limit, and a button that changes it. */
export const Caps = () => {
  const result = useAtomValue(keys)
  const mayChange = valueOf(useAtomValue(serverInfo))?.key.admin ?? false
  const [opened, open] = useState<Key | undefined>(undefined)
  return (
    <Section title="Daily limits">
      <Answer of={result} what="keys" onRetry={() => registry.refresh(keys)}>
        {(all) => {
          const rows = all.filter(({ revokedAt }) => revokedAt === null)
          return rows.length === 0 ? (
            <p>
              No API keys yet. <Link to="/keys">Create a key</Link> for each app to limit its cost.
            </p>
          ) : (
            <Table
              label="Daily limits"
              rows={rows}
              keyOf={({ name }) => name}
              columns={[
                { name: "Key", cell: ({ name }) => <Untrusted>{name}</Untrusted> },
                {
                  name: "Spent today (UTC)",
                  isNumber: true,
                  cell: ({ limits, usage }) => (
                    <>
                      {usd(usage.usdToday)}{" "}
                      {isSpent(usage.usdToday, limits.usdPerDay) ? <Status of="limit reached" /> : null}
                    </>
                  )
                },
                {
                  name: "Daily limit",
                  isNumber: true,
                  cell: ({ limits: { usdPerDay } }) => (usdPerDay === null ? "none" : usd(usdPerDay))
                },
                {
                  name: "Actions",
                  isUnseen: true,
                  cell: (key) =>
                    mayChange ? (
                      <Button aria-label={`Set limits for ${key.name}`} onClick={() => open(key)}>
                        Set limits
                      </Button>
                    ) : null
                }
              ]}
            />
          )
        }}
      </Answer>
      {opened === undefined ? null : <Limits of={opened} onClose={() => open(undefined)} />}
    </Section>
  )
}
