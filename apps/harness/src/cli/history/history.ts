import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flags from "../Flags.ts"
import { description } from "@webagent/cli/Description"
import { program } from "../Program.ts"
import { configured } from "../Configured.ts"

const accept = configured(
  "history accept",
  {
    night: Argument.String("night").pipe(Argument.withDescription("The id of a night with a regression, or last")),
    history: Flags.history,
    scenario: Flag.String("scenario").pipe(
      Flag.withDescription(
        'Accept only this scenario: a name, or "suite > name" (default: every regression of the night)'
      ),
      Flag.optional
    ),
    note: Flag.String("note").pipe(Flag.withDescription("Record the reason (default: none)"), Flag.optional),
    config: Flags.config
  },
  ({ config }) => ({ config }),
  ({ note, scenario, ...rest }) =>
    Effect.flatMap(
      Effect.promise(() => import("./acceptNight.ts")),
      ({ acceptNight }) =>
        acceptNight({ ...rest, scenario: Option.getOrUndefined(scenario), note: Option.getOrUndefined(note) })
    )
).pipe(
  Command.withDescription(description("Accept a regression as the new baseline", { 0: "accepted", 2: "wrong usage" })),
  Command.withShortDescription("Accept a regression as the new baseline"),
  Command.withExamples([
    {
      command: `${program} history accept 3f0c --note "the new model is slower"`,
      description: "Every regression of the night"
    }
  ])
)

/** `history`: the nights, their trends, and what was said of them. What it runs with is loaded when it runs. */
export const history = configured(
  "history",
  {
    history: Flags.history,
    scenario: Flag.String("scenario").pipe(
      Flag.withDescription("Show trends of scenarios whose name contains this text (default: of whole nights)"),
      Flag.optional
    ),
    last: Flags.count("last", 1, "Show this many nights (default: 30)"),
    judge: Flag.Boolean("judge").pipe(
      Flag.withDescription("Judge the last night by those before it"),
      Flag.withDefault(false)
    ),
    html: Flag.Boolean("html").pipe(
      Flag.withDescription("Write a page of the nights beside the history: nights.html of nights.ndjson"),
      Flag.withDefault(false)
    ),
    json: Flags.json,
    config: Flags.config
  },
  ({ config }) => ({ config }),
  ({ scenario, ...rest }) =>
    Effect.flatMap(
      Effect.promise(() => import("./showHistory.ts")),
      ({ showHistory }) => showHistory({ ...rest, scenario: Option.getOrUndefined(scenario) })
    )
).pipe(
  Command.withDescription(
    description("Show the nights of a history with their trends", {
      0: "shown; with --judge: the last night did not fail",
      1: "with --judge: the last night failed",
      2: "wrong usage"
    })
  ),
  Command.withShortDescription("Show the nights of a history with their trends"),
  Command.withSubcommands([accept]),
  Command.withExamples([
    { command: `${program} history`, description: "The last 30 nights" },
    { command: `${program} history --scenario checkout`, description: "One scenario over all nights" },
    { command: `${program} history --html`, description: "A page with a heat map of scenarios by nights" },
    { command: `${program} history --judge --json`, description: "The verdict on the last night, for programs" }
  ])
)
