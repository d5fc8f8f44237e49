import styles from "./Status.module.css"

/** The look of each known status; an unknown status is shown as it is. */
const kinds: Readonly<Record<string, string>> = {
  active: "busy",
  cancelled: "still",
  completed: "ok",
  draining: "warn",
  dispatching: "busy",
  failed: "bad",
  lost: "bad",
  ok: "ok",
  queued: "still",
  revoked: "still",
  running: "busy",
  stopped: "still",
  unavailable: "bad"
}

/** A status as a word and a color, never a color alone. */
export const Status = ({ of }: { readonly of: string }) => (
  <span className={`${styles["status"]} ${styles[kinds[of] ?? "still"]}`} data-status={of}>
    {of.slice(0, 1).toUpperCase()}
    {of.slice(1, 40)}
  </span>
)
