import { toneOf } from "@webagent/load/AbReport"
import type { LoadComparison } from "@webagent/harness-api"
import styles from "./Verdict.module.css"

/** The verdict on a load compared with another one. `text` is the verdict of a figure that isn't a time. */
export const Verdict = ({ of, text = of }: { readonly of: LoadComparison["verdict"]; readonly text?: string }) => (
  <b className={styles["verdict"]} data-tone={toneOf[of]}>
    {text}
  </b>
)
