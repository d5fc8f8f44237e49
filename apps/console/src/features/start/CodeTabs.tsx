import { Tabs } from "@base-ui/react/tabs"
import { Code } from "../../ui/Code.tsx"
import { type RunBody, samples } from "./code.ts"
import styles from "./StartScreen.module.css"

/** The code that starts a run, for each client. */
export const CodeTabs = ({ body }: { readonly body: RunBody }) => (
  <Tabs.Root defaultValue={samples[0]?.name ?? ""} className={styles["code"]}>
    <Tabs.List className={styles["tabs"]} aria-label="Client">
      {samples.map(({ name }) => (
        <Tabs.Tab key={name} value={name} className={styles["tab"]}>
          {name}
        </Tabs.Tab>
      ))}
    </Tabs.List>
    {samples.map(({ code, name }) => (
      <Tabs.Panel key={name} value={name} tabIndex={-1}>
        <Code label={`Code for ${name}`} text={code(body, location.origin)} />
      </Tabs.Panel>
    ))}
  </Tabs.Root>
)
