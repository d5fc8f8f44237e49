import { help } from "../Help.ts"
import { loading } from "@webagent/cli/Loading"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Flags from "../Flags.ts"
import { configured } from "../Configured.ts"

const accept = configured(
  "history accept",
  {
    night: Argument.String("night").pipe(Argument.withDescription("The id of a night with a regression, or last")),
    history: Flags.history,
    scenario: Flags.text(
      "scenario",
      'Accept only this scenario: a name, or "suite > name" (default: every regression of the night)'
    ),
    note: Flags.text("note", "Record the reason (default: none)"),
    config: Flags.config
  },
  (options) => loading(async () => (await import("./decideNight.ts")).acceptNight(options))
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
    scenario: Flags.text(
      "scenario",
      "Show trends for scenarios whose name contains this text (default: for whole nights)"
    ),
    last: Flags.count("last", 1, "Show this many nights (default: 30)"),
    judge: Flags.switched("judge", "Judge the last night by those before it"),
    html: Flags.switched("html", "Write a page of the nights next to the history: nights.html for nights.ndjson"),
    json: Flags.json,
    config: Flags.config
  },
  (options) => loading(async () => (await import("./showHistory.ts")).showHistory(options))
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
