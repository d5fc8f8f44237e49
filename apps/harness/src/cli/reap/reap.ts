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
    ledger: Flag.String("ledger").pipe(Flag.withDescription("The folder that the clients keep their ledger in")),
    target: Flag.String("target").pipe(
      Flag.withDescription("The address of the service, with or without /api/vN; default: WEBAGENT_BASE_URL"),
      Flag.optional
    ),
    apiKeyEnv: Flags.apiKeyEnv,
    owner: Flag.String("owner").pipe(
      Flag.withDescription("Only what this owner has opened, whether or not its process is at work"),
      Flag.optional
    ),
    olderThan: time("older-than").pipe(
      Flag.withDescription("Leaves alone what was opened less long ago; default: nothing"),
      Flag.withDefault(Duration.zero)
    ),
    for: time("for").pipe(
      Flag.withDescription("How long to try again; default: 1m"),
      Flag.withDefault(Duration.minutes(1))
    ),
    forget: Flag.String("forget").pipe(
      Flag.withDescription(
        "Takes the item with this idempotency key or id out of the ledger, once you have seen to it"
      ),
      Flag.atLeast(0)
    ),
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Says what would be stopped, and calls nobody; default: no"),
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
    "Stop the browsers that a killed process left, by their ids in its ledger, and list what may go on and cannot be stopped. Exit code 0: nothing is left, 1: something may go on, and cost, 2: called wrongly, 130: stopped by hand"
  ),
  Command.withShortDescription("Stop the browsers that a killed process left"),
  Command.withExamples([
    { command: `${program} reap --ledger .webagent/ledger --dry-run`, description: "What was left" },
    {
      command: `${program} reap --ledger .webagent/ledger --target https://your.service`,
      description: "Stop it; the key is in WEBAGENT_API_KEY"
    }
  ])
)
