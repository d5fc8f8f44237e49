import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Flags from "../Flags.ts"
import { program } from "../Program.ts"
import { parseDuration } from "../Parsers.ts"

const time = (name: string) =>
  Flag.String(name).pipe(Flag.filterMap(parseDuration, (text) => `Expected: a time such as 30s or 5m, got "${text}"`))

/** `reap`: stops what a killed process left open. What it runs with is loaded when it runs. */
export const reap = Command.make(
  "reap",
  {
    ledger: Flag.String("ledger").pipe(Flag.withDescription("Read the clients' ledger in this folder")),
    target: Flag.String("target").pipe(
      Flag.withDescription("Send requests to the service at this URL (default: WEBAGENT_BASE_URL)"),
      Flag.optional
    ),
    apiKeyEnv: Flags.apiKeyEnv,
    owner: Flag.String("owner").pipe(
      Flag.withDescription("Stop only what this owner opened, even if its process still runs (default: all owners)"),
      Flag.optional
    ),
    olderThan: time("older-than").pipe(
      Flag.withDescription("Skip what was opened more recently than this time (default: 0s)"),
      Flag.withDefault(Duration.zero)
    ),
    for: time("for").pipe(
      Flag.withDescription("Retry for this time (default: 1m)"),
      Flag.withDefault(Duration.minutes(1))
    ),
    forget: Flag.String("forget").pipe(
      Flag.withDescription("Remove the item with this key or id from the ledger"),
      Flag.atLeast(0)
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Show what would be stopped, and change nothing"),
      Flag.withDefault(false)
    )
  },
  (options) =>
    Effect.flatMap(
      Effect.promise(() => import("./reapLedger.ts")),
      ({ reapLedger }) => reapLedger(options)
    )
).pipe(
  Command.withDescription(
    "Stop the browsers that a killed process left open, and list what cannot be stopped. Exit code 0: nothing is left, 1: something may continue and cost, 2: wrong arguments, 130: Ctrl-C"
  ),
  Command.withShortDescription("Stop the browsers that a killed process left open"),
  Command.withExamples([
    { command: `${program} reap --ledger .webagent/ledger --dry-run`, description: "Show what is left" },
    {
      command: `${program} reap --ledger .webagent/ledger --target https://your.service`,
      description: "Stop it, with the key in WEBAGENT_API_KEY"
    }
  ])
)
