import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { judgeLastNight } from "@webagent/findings/NightFindings"
import { brief } from "@webagent/findings/words/FindingText"
import * as HistoryLines from "@webagent/findings/words/HistoryLines"
import { ofSeverity } from "@webagent/report/Finding"
import type { Night } from "@webagent/nights/Night"
import * as NightFile from "@webagent/nights/NightFile"
import * as AtomicFile from "@webagent/cli/AtomicFile"
import { usage, usageOf } from "@webagent/cli/UserError"
import { dirname } from "node:path"
import * as ExportFile from "../../page/ExportFile.ts"
import * as HtmlReporter from "../../page/HtmlReporter.ts"
import * as NightsPage from "../../page/NightsPage.ts"
import * as Screens from "../../page/Screens.ts"
import { commandsOf } from "../Advice.ts"
import * as JsonOutput from "../JsonOutput.ts"
import { HistoryOutput, JudgeOutput } from "./HistoryOutput.ts"
import * as HistoryText from "./HistoryText.ts"
import { ExitError } from "@webagent/cli/ExitCode"
import { noNights } from "../HistoryNight.ts"
import { version } from "../Program.ts"
import { terminal } from "@webagent/cli/Terminal"

/** Shows the last nights of a history, or scenarios through them. */
export const showHistory = Effect.fnUntraced(function* (options: {
  readonly history: string
  readonly scenario: string | undefined
  readonly last: number | undefined
  readonly judge: boolean
  readonly json: boolean
  readonly html: boolean
}) {
  if (options.json && options.html) return yield* usage("--json and --html cannot be combined. Remove one.")
  const { last = 30 } = options
  const [other] = [
    ...(options.html ? ["--html"] : []),
    ...(options.scenario === undefined ? [] : ["--scenario"]),
    ...(options.last === undefined ? [] : ["--last"])
  ]
  if (options.judge && other !== undefined) {
    return yield* usage(
      `--judge and ${other} cannot be combined: --judge is the verdict on the last night. Remove one.`
    )
  }
  const past = yield* NightFile.read(options.history)
  for (const warning of past.warnings) yield* Console.error(warning)
  const nights = past.nights.slice(-last)
  if (nights.length === 0) return yield* noNights(options.history)
  const { style, write } = yield* terminal
  if (options.html) {
    const path = `${options.history.replace(/\.[^./\\]+$/u, "")}.html`
    const linkOf = (night: Night) => HtmlReporter.linkFrom(dirname(path), options.history, night)
    yield* Screens.build
    const data = NightsPage.dataOf({
      past,
      last,
      linkOf,
      tool: { name: "webagent-harness", version },
      commands: commandsOf({ history: options.history, quarantine: undefined }),
      exportedAt: DateTime.formatIso(yield* DateTime.now)
    })
    yield* AtomicFile.write(path, ExportFile.render(data, yield* Screens.bundle)).pipe(
      Effect.mapError(usageOf("The page cannot be written"))
    )
    return yield* write(`nights   ${path}\n`)
  }
  const tomorrow = DateTime.formatIso(DateTime.add(yield* DateTime.now, { days: 1 }))
  const verdict = options.judge ? judgeLastNight(past, tomorrow) : undefined
  if (verdict !== undefined) {
    const later = past.nights.filter(({ startedAt }) => startedAt > verdict.startedAt)
    if (later.length > 0) {
      const which = later.map(({ id, startedAt }) => `${id} of ${startedAt}`).join(", ")
      yield* Console.error(`Not judged, because the date is in the future: ${which}.`)
    }
    const uncompared = HistoryLines.uncompared(verdict)
    const lines = [
      `${verdict.startedAt} ${verdict.night}: ${verdict.status}`,
      ...ofSeverity(verdict.findings, "error").map(brief),
      ...(uncompared === undefined ? [] : [uncompared])
    ]
    yield* options.json ? JsonOutput.print(JudgeOutput, verdict) : write(`${lines.join("\n  ")}\n`)
    return verdict.status === "failed" ? yield* new ExitError({ exitCode: 1 }) : undefined
  }
  if (options.json) {
    const { scenario } = options
    const shown =
      scenario === undefined
        ? nights
        : nights.map((night) => ({ ...night, scenarios: HistoryText.named(night.scenarios, scenario) }))
    return yield* JsonOutput.print(HistoryOutput, { nights: shown })
  }
  const lines =
    options.scenario === undefined
      ? HistoryText.ofNights(nights, style)
      : HistoryText.ofScenarios(nights, options.scenario, style)
  if (lines.length === 0) return yield* usage(`No scenario of these nights has "${options.scenario}" in its name.`)
  yield* write(`${lines.join("\n")}\n`)
})
