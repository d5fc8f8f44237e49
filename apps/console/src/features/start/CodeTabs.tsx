import { Tabs } from "@base-ui/react/tabs"
import type { ReactNode } from "react"
import { serverInfo, signInState } from "../../state/client.ts"
import { useAtomValue } from "../../state/react.ts"
import { valueOf } from "../../state/runs.ts"
import { Code } from "../../ui/Code.tsx"
import { Link } from "../../ui/Link.tsx"
import { type RunBody, samples } from "./code.ts"
import styles from "./StartScreen.module.css"

export interface CodeTabsProps {
  readonly body: RunBody
  /** Further tabs, with what they have instead of code that starts the run. */
  readonly more?: Readonly<Record<string, ReactNode>>
}

/** The place of the key that the code needs, since no code holds one. */
const KeyHint = () => {
  const { has = [], key } = valueOf(useAtomValue(serverInfo)) ?? {}
  const hasKeys = has.some((part) => part === "keys")
  const isOpen = valueOf(useAtomValue(signInState))?.state === "open"
  return (
    <p className={styles["hint"]}>
      The code reads an API key from the environment variable <code>WEBAGENT_API_KEY</code>.
      {isOpen ? (
        <>
          {" "}
          This service accepts <code>wak_test</code>.
        </>
      ) : hasKeys && key?.admin === true ? (
        <>
          {" "}
          You can create one on the <Link to="/keys">Keys</Link> screen.
        </>
      ) : key?.admin === false ? (
        " Use the key that you signed in with."
      ) : null}
    </p>
  )
}

/** The code that starts a run, for each client. */
export const CodeTabs = ({ body, more = {} }: CodeTabsProps) => (
  <Tabs.Root defaultValue={samples[0]?.name ?? ""} className={styles["code"]}>
    <Tabs.List className={styles["tabs"]} aria-label="Client">
      {samples.map(({ name }) => (
        <Tabs.Tab key={name} value={name} className={styles["tab"]}>
          {name}
        </Tabs.Tab>
      ))}
      {Object.keys(more).map((name) => (
        <Tabs.Tab key={name} value={name} className={styles["tab"]}>
          {name}
        </Tabs.Tab>
      ))}
    </Tabs.List>
    {samples.map(({ code, name, note }) => (
      <Tabs.Panel key={name} value={name} tabIndex={-1}>
        <Code label={`Code for ${name}`} text={code(body, location.origin)} />
        {note === undefined ? null : <p className={styles["hint"]}>{note}</p>}
        <KeyHint />
      </Tabs.Panel>
    ))}
    {Object.entries(more).map(([name, content]) => (
      <Tabs.Panel key={name} value={name} tabIndex={-1}>
        {content}
      </Tabs.Panel>
    ))}
  </Tabs.Root>
)
