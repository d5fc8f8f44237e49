import { Console, serverInfo } from "../../state/client.ts"
import { registry, useAtomValue } from "../../state/react.ts"
import { valueOf } from "../../state/runs.ts"
import { Answer } from "../../ui/Answer.tsx"
import { moment, span } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Page, Section } from "../../ui/Page.tsx"
import { Table } from "../../ui/Table.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { Health } from "../health/Health.tsx"
import { Schedules } from "./Schedules.tsx"
import styles from "./SettingsScreen.module.css"
import { Webhooks } from "./Webhooks.tsx"

const settings = Console.query("server", "settings", {})

/** The pages of documentation that the server itself serves. */
const references = [2, 3, 4].map((version) => [`API v${version}`, `/api/v${version}/docs`] as const)

/** The guides for the person who runs a server, by their names in the folder docs. */
export const guides = ["run-your-own-server", "console", "environment", "monitor", "webhooks", "admin-api"]

const Documentation = () => (
  <Section title="Documentation">
    <p>
      This server has an API reference for each version:{" "}
      {references.map(([name, address], index) => (
        <span key={address}>
          {index === 0 ? "" : ", "}
          <a className={styles["link"]} href={address} target="_blank" rel="noopener noreferrer">
            {name}
          </a>
        </span>
      ))}
      . The guides are in the folder <code>docs</code> of the repository, for example{" "}
      {guides.map((name, index) => (
        <span key={name}>
          {index === 0 ? "" : ", "}
          <code>{name}.md</code>
        </span>
      ))}
      .
    </p>
  </Section>
)

/** The settings in force, the health of the server, and its facts. Flags and the configuration change them. */
const SettingsScreen = () => {
  const info = valueOf(useAtomValue(serverInfo))
  const result = useAtomValue(settings)
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
          ["Uptime", span(info.uptimeMs)]
        ]
  return (
    <Page
      title="Settings"
      lead="The server's current settings. To change one, restart the server with another flag, environment variable or configuration file."
    >
      <Health />
      <Section title="Server">
        <Table
          label="Server details"
          rows={facts}
          keyOf={([name]) => name}
          columns={[
            { name: "Property", cell: ([name]) => name },
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
              <p>
                {info?.has.includes("simulation") === true ? (
                  <>
                    The profile, the faults and the clock are on the{" "}
                    <Link to="/simulation" className={styles["link"]}>
                      Simulated service
                    </Link>{" "}
                    screen.
                  </>
                ) : (
                  "This server uses its defaults."
                )}
              </p>
            ) : (
              <Table
                label="Current settings"
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
      <Documentation />
    </Page>
  )
}

export default SettingsScreen
