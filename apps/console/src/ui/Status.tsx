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
  passed: "ok",
  queued: "still",
  revoked: "still",
  running: "busy",
  "service away": "bad",
  stopped: "still",
  unavailable: "bad",
  warning: "warn"
}

/** The statuses whose own word tells little, with a better one and a sentence. */
const words: Readonly<Record<string, readonly [word: string, meaning: string]>> = {
  dispatching: ["Starting", "A server has taken the run and starts its browser. The API calls this dispatching."]
}

/** The word that a person reads for a status of the API. */
export const statusWord = (status: string): string =>
  words[status]?.[0] ?? `${status.slice(0, 1).toUpperCase()}${status.slice(1, 40)}`

/** A sentence about a status whose word needs one. */
export const statusMeaning = (status: string): string | undefined => words[status]?.[1]

/** A status as a word and a color, never a color alone. */
export const Status = ({ of }: { readonly of: string }) => (
  <span className={`${styles["status"]} ${styles[kinds[of] ?? "still"]}`} data-status={of} title={statusMeaning(of)}>
    {statusWord(of)}
  </span>
)
