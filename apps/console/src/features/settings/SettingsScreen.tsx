import { Console, serverInfo } from "../../state/client.ts"
import { registry, useAtomValue } from "../../state/react.ts"
import { valueOf } from "../../state/runs.ts"
import { Answer } from "../../ui/Answer.tsx"
import { moment, span } from "../../ui/format.ts"
import { Page, Section } from "../../ui/Page.tsx"
import { Status } from "../../ui/Status.tsx"
import { Table } from "../../ui/Table.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { Schedules } from "./Schedules.tsx"
import { Webhooks } from "./Webhooks.tsx"

const settings = Console.query("server", "settings", {})
const health = Console.query("server", "health", {})

/** The settings in force, the health of the server, and its facts. Flags and the configuration change them. */
const SettingsScreen = () => {
  const info = valueOf(useAtomValue(serverInfo))
  const result = useAtomValue(settings)
  const state = useAtomValue(health)
  const facts: ReadonlyArray<readonly [string, string]> =
    info === undefined
      ? []
      : [
          ["Version", info.version],
          ["Node", info.node],
          ["Data", info.data],
          ["Browsers", info.browsers],
          ["Model", info.model ?? "none"],
          ["Started", moment(info.startedAt)],
          ["Running for", span(info.uptimeMs)]
        ]
  return (
    <Page
      title="Settings"
      lead="The settings in force. Flags, variables or the configuration file change them when the server starts."
    >
      <Section title="Health">
        <Answer of={state} what="health" onRetry={() => registry.refresh(health)}>
          {({ reason, status }) => (
            <p>
              <Status of={status} /> <Untrusted>{reason}</Untrusted>
            </p>
          )}
        </Answer>
      </Section>
      <Section title="Server">
        <Table
          label="Facts of the server"
          rows={facts}
          keyOf={([name]) => name}
          columns={[
            { name: "Fact", cell: ([name]) => name },
            { name: "Value", cell: ([, value]) => <Untrusted>{value}</Untrusted> }
          ]}
        />
      </Section>
      {info?.has.includes("webhooks") === true ? <Webhooks /> : null}
      {info?.has.includes("schedules") === true ? <Schedules /> : null}
      <Section title="Settings">
        <Answer of={result} what="settings" onRetry={() => registry.refresh(settings)}>
          {(rows) =>
            rows.length === 0 ? (
              <p>This server has its defaults.</p>
            ) : (
              <Table
                label="Settings in force"
                rows={rows}
                keyOf={({ name }) => name}
                columns={[
                  { name: "Setting", cell: ({ name }) => <Untrusted>{name}</Untrusted> },
                  { name: "Value", cell: ({ value }) => <Untrusted>{value ?? "off"}</Untrusted> },
                  { name: "Flag", cell: ({ flag }) => (flag === null ? "" : <code>{flag}</code>) }
                ]}
              />
            )
          }
        </Answer>
      </Section>
    </Page>
  )
}

export default SettingsScreen
