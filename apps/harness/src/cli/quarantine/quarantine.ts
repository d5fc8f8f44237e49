import { loading } from "@webagent/cli/Loading"
import { standard } from "@webagent/nights/Quarantine"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { configured } from "../Configured.ts"
import * as Flags from "../Flags.ts"
import { help } from "../Help.ts"

const file = Flag.String("quarantine").pipe(
  Flag.withDescription(`Use this quarantine file (default: ${standard})`),
  Flag.withDefault(standard)
)
const scenario = Argument.String("scenario").pipe(
  Argument.withDescription('The scenario: "suite > name", or its name if the last night of the history has run it')
)
const exits = { 0: "done", 2: "wrong usage" }

const add = configured(
  "quarantine add",
  {
    scenario,
    owner: Flags.text(
      "owner",
      "Record who fixes it: a team, a person or a handle (default: the scenario's owner in the last night)"
    ),
    reason: Flag.String("reason").pipe(Flag.withDescription("Record why it fails")),
    until: Flag.String("until").pipe(Flag.withDescription("End on this day, such as 2026-12-01; at most 30 days away")),
    quarantine: file,
    history: Flags.history,
    config: Flags.config
  },
  (options) => loading(async () => (await import("./editQuarantine.ts")).addToQuarantine(options))
).pipe(
  help("Keep a scenario from failing nights until a day", {
    exits,
    examples: {
      'quarantine add "checkout > pays" --owner ada --reason "the bank is slow" --until 2026-12-01': "One scenario"
    }
  })
)

const remove = configured("quarantine remove", { scenario, quarantine: file, config: Flags.config }, (options) =>
  loading(async () => (await import("./editQuarantine.ts")).removeFromQuarantine(options))
).pipe(help("Take a scenario out of quarantine", { exits }))

/** `quarantine`: the scenarios in quarantine. Its modules are loaded when it runs. */
export const quarantine = configured("quarantine", { quarantine: file, config: Flags.config }, (options) =>
  loading(async () => (await import("./editQuarantine.ts")).listQuarantine(options.quarantine))
).pipe(
  Command.withSubcommands([add, remove]),
  help("List, add and remove scenarios in quarantine", { does: "List the scenarios in quarantine", exits })
)
