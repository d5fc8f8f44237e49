import { statusMeaning, statusWord } from "../state/statuses.ts"
import styles from "./Status.module.css"

/** The look of each known status; an unknown status is shown as it is. */
const kinds: Readonly<Record<string, string>> = {
  active: "busy",
  cancelled: "still",
  completed: "ok",
  draining: "warn",
  "limit reached": "warn",
  note: "warn",
  dispatching: "busy",
  failed: "bad",
  lost: "bad",
  ok: "ok",
  passed: "ok",
  queued: "still",
  revoked: "still",
  running: "busy",
  "service unavailable": "bad",
  stopped: "still",
  unavailable: "bad",
  warning: "warn"
}

/** A status as a word and a color, never a color alone. */
export const Status = ({ of }: { readonly of: string }) => (
  <span className={`${styles["status"]} ${styles[kinds[of] ?? "still"]}`} data-status={of} title={statusMeaning(of)}>
    {statusWord(of)}
  </span>
)
