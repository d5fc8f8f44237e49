import { help } from "../Help.ts"
import { loading } from "@webagent/cli/Loading"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Flags from "../Flags.ts"
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
    loading(async () =>
      (await import("./decideNight.ts")).acceptNight({
        ...rest,
        scenario: Option.getOrUndefined(scenario),
        note: Option.getOrUndefined(note)
      })
    )
).pipe(
  help("Accept a regression as the new baseline", {
    exits: { 0: "accepted", 2: "wrong usage" },
    examples: { 'history accept 3f0c --note "the new model is slower"': "Every regression of the night" }
  })
)

const acknowledge = configured(
  "history acknowledge",
  {
    night: Argument.String("night").pipe(Argument.withDescription("The id of a night with a problem, or last")),
    history: Flags.history,
    scenario: Flags.text(
      "scenario",
      'Acknowledge only this scenario: a name, or "suite > name" (default: every problem of the night)'
    ),
    owner: Flag.String("owner").pipe(Flag.withDescription("Record who is working on it: a team, a person or a handle")),
    until: Flags.text("until", "Send reminders again after this day, such as 2026-12-01 (default: never)"),
    note: Flags.text("note", "Record a note about the work (default: none)"),
    config: Flags.config
  },
  ({ config }) => ({ config }),
  (options) => loading(async () => (await import("./decideNight.ts")).acknowledgeNight(options))
).pipe(
  help("Record who is working on a problem", {
    does: "Record who is working on a problem, so that it sends no reminders",
    exits: { 0: "acknowledged", 2: "wrong usage" },
    examples: {
      'history acknowledge last --scenario "checkout > pays" --owner ada --until 2026-12-01':
        "One scenario of the last night"
    }
  })
)

/** `history`: the nights, their trends, and what was said of them. What it runs with is loaded when it runs. */
export const history = configured(
  "history",
  {
    history: Flags.history,
    scenario: Flag.String("scenario").pipe(
      Flag.withDescription("Show trends for scenarios whose name contains this text (default: for whole nights)"),
      Flag.optional
    ),
    last: Flags.count("last", 1, "Show this many nights (default: 30)"),
    judge: Flag.Boolean("judge").pipe(
      Flag.withDescription("Judge the last night by those before it"),
      Flag.withDefault(false)
    ),
    html: Flag.Boolean("html").pipe(
      Flag.withDescription("Write a page of the nights next to the history: nights.html for nights.ndjson"),
      Flag.withDefault(false)
    ),
    json: Flags.json,
    config: Flags.config
  },
  ({ config }) => ({ config }),
  ({ scenario, ...rest }) =>
    loading(async () =>
      (await import("./showHistory.ts")).showHistory({ ...rest, scenario: Option.getOrUndefined(scenario) })
    )
).pipe(
  Command.withSubcommands([accept, acknowledge]),
  help("Show a history's nights with their trends", {
    exits: {
      0: "shown; with --judge: the last night did not fail",
      1: "with --judge: the last night failed",
      2: "wrong usage"
    },
    examples: {
      history: "The last 30 nights",
      "history --scenario checkout": "One scenario over all nights",
      "history --html": "A page with a heat map of scenarios by nights",
      "history --judge --json": "The verdict on the last night, for programs"
    }
  })
)
