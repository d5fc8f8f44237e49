import type { Browser } from "@webagent/engine"

/** Close messages for clients whose browser is gone. */
export const closeReasons: Readonly<Record<NonNullable<Browser.Browser["stopReason"]>, string>> = {
  asked: "The browser was stopped",
  session_stopped: "The browser was stopped with its session",
  expired: "The browser was stopped: it reached the end of its time",
  idle: "The browser was stopped: no client used it",
  crashed: "The browser crashed",
  out_of_memory: "The browser was stopped: it used too much memory",
  out_of_disk: "The browser was stopped: its files took too much room",
  ended: "The browser ended by itself",
  launch_failed: "The browser did not start",
  node_lost: "The browser is gone: its server was lost",
  node_closed: "The browser was stopped: its server was shut down"
}
