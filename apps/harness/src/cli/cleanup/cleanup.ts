import { help } from "../Help.ts"
import { loading } from "@webagent/cli/Loading"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Flags from "../Flags.ts"
import { configured } from "../Configured.ts"

/** `cleanup`: stops resources that a killed process left running. Its modules are loaded when it runs. */
export const cleanup = configured(
  "cleanup",
  {
    ledger: Flag.String("ledger").pipe(Flag.withDescription("Read the clients' ledger in this folder")),
    target: Flags.text(
      "target",
      "Send requests to the service at this URL, or to a target of the configuration (default: WEBAGENT_BASE_URL)"
    ),
    apiKeyEnv: Flags.apiKeyEnv,
    control: Flags.text(
      "control",
      "Stop runs that the service cannot cancel, through the control API of a simulated server; key in WEBAGENT_CONTROL_KEY (default: none)"
    ),
    owner: Flags.text(
      "owner",
      "Stop only this owner's resources, even if its process still runs (default: all owners)"
    ),
    olderThan: Flags.time("older-than").pipe(
      Flag.withDescription("Skip resources created more recently than this (default: 0s)"),
      Flag.withDefault(Duration.zero)
    ),
    for: Flags.time("for").pipe(
      Flag.withDescription("Retry for this time (default: 1m)"),
      Flag.withDefault(Duration.minutes(1))
    ),
    forget: Flags.texts("forget", "Remove the item with this key or id from the ledger"),
    dryRun: Flags.switched("dry-run", "List the resources without stopping them"),
    json: Flags.json,
    config: Flags.config
  },
  (options) => loading(async () => (await import("./cleanUpLedger.ts")).cleanUpLedger(options))
).pipe(
  help("Stop the browsers and runs that a killed process left behind", {
    does: "Stop the browsers and runs that a killed process left behind, and list those that cannot be stopped",
    exits: {
      0: "nothing is left",
      1: "something may still be running and cost money",
      2: "wrong usage",
      3: "the service refuses the key",
      130: "stopped with Ctrl-C"
    },
    examples: {
      "cleanup --ledger .webagent/ledger --dry-run": "List the leftovers",
      "cleanup --ledger .webagent/ledger --target https://your.service": "Stop them, with the key in WEBAGENT_API_KEY",
      "cleanup --ledger .webagent/ledger --target http://127.0.0.1:4400 --control http://127.0.0.1:4401":
        "Stop runs on a simulated server that cannot cancel them"
    }
  })
)
