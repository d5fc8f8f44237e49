import type { FlagGroups } from "@webagent/cli/HelpText"

/** Groups of the flags of `run`, `plan`, `ui` and `load` in their help. */
export const flagGroups: FlagGroups = {
  TARGET: "target allow-paid allow-remote api-key-env api-key-header control v2-session-id service-version",
  SELECTION: "suite tag owner name trial last-failed built-in allow-only shard watch",
  REPETITION: "trials extra-trials reruns concurrency seed repeat-until-failure resume",
  LOAD: "rate vus duration mix profile task sample segments thresholds run-timeout",
  LIMIT: "timeout bail max-cost trial-budget max-time max-scenario-time max-outage max-requests",
  HISTORY: "history record baseline tolerance quarantine notify report-url remind-days",
  OUTPUT: "report-dir reporter debug json keep-open"
}
