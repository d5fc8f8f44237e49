import type { Trace } from "@webagent/report/Trace"
import { Picture } from "../parts/Picture.tsx"
import styles from "./TrialScreen.module.css"

/** The agent's browser at the start of its last steps. */
export const Pictures = ({ of: { pictures = [] } }: { readonly of: Trace }) =>
  pictures.length === 0 ? null : (
    <div className={styles["pictures"]} role="group" aria-label="Pictures of the browser" tabIndex={0}>
      {pictures.map((picture) => (
        <Picture key={`${picture.runId} ${picture.number}`} of={picture} />
      ))}
    </div>
  )
