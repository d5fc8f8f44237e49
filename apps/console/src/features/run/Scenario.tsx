import type { RunDetails } from "@webagent/admin"
import { FileDown } from "lucide-react"
import { Button } from "../../ui/Button.tsx"
import { Code } from "../../ui/Code.tsx"
import { download } from "../../ui/download.ts"
import { scenarioOf, suiteFileOf } from "./scenario.ts"
import styles from "./RunScreen.module.css"

/** The run as a scenario of a suite, to copy or to save as a file. */
export const Scenario = ({ run }: { readonly run: RunDetails }) => {
  const file = suiteFileOf(run)
  const text = scenarioOf(run)
  return (
    <div className={styles["scenario"]}>
      <p>
        Save it as <code>{file}</code>, write its oracle, and run it with <code>webagent-harness run {file}</code>.
      </p>
      <div>
        <Button onClick={() => download(file, "text/plain", text)}>
          <FileDown aria-hidden />
          Save the suite
        </Button>
      </div>
      <Code label="Scenario" text={text} />
    </div>
  )
}
