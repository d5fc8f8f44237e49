import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { Night } from "@webagent/nights/Night"
import { isHidden } from "@webagent/report/StoredArgument"
import type { RunReport } from "@webagent/report/RunReport"
import { connectionErrors, describePlatformError } from "@webagent/cli/PlatformErrorText"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { basename } from "node:path"
import * as ReportUrl from "../config/ReportUrl.ts"
import { type Channel, isWebAddress } from "../config/Values.ts"
import { redactor } from "../observe/KeyRedaction.ts"
import { codeOf } from "../observe/SystemError.ts"
import * as Notification from "../reporters/Notification.ts"
import * as SlackMessage from "../reporters/SlackMessage.ts"
import type { RunOptions } from "./RunFlags.ts"
import { variable } from "@webagent/cli/Terminal"

/** Time limit of one notification. */
const patience = Duration.seconds(10)

/** Sending failed: one sentence, without an address that may be a secret. */
class NotSent {
  readonly _tag = "NotSent"
  readonly why: string
  constructor(why: string) {
    this.why = why
  }
}

const post = Effect.fnUntraced(
  function* (to: string, body: string) {
    if (isHidden(to))
      return yield* Effect.fail(
        new NotSent("reports do not store its address: name it in webagent.config.ts, or use webhook=VARIABLE")
      )
    const address = isWebAddress(to) ? to : yield* variable(to)
    if (address === undefined) return yield* Effect.fail(new NotSent(`${to} is not set`))
    if (!isWebAddress(address)) return yield* Effect.fail(new NotSent(`${to} has no address such as https://host/path`))
    const request = HttpClientRequest.post(address).pipe(HttpClientRequest.bodyText(body, "application/json"))
    const { status } = yield* HttpClient.execute(request)
    if (status >= 300 && status < 400) {
      return yield* Effect.fail(new NotSent(`HTTP ${status}, and redirects are not followed`))
    }
    if (status < 200 || status >= 300) return yield* Effect.fail(new NotSent(`HTTP ${status}`))
  },
  Effect.catchTag("HttpClientError", (error) => {
    const code = codeOf(error)
    return Effect.fail(new NotSent(code === undefined ? "no response" : (connectionErrors[code] ?? code)))
  }),
  Effect.provide(NodeHttpClient.layerUndici)
)

/** Runs a command with the notification on its standard input; its environment has no API key. */
const run = Effect.fnUntraced(
  function* (command: string, body: string, redact: (text: string) => string) {
    const spawner = yield* ChildProcessSpawner
    const kept = Object.entries(process.env).filter(([, value]) => value !== undefined && redact(value) === value)
    const handle = yield* spawner.spawn(
      ChildProcess.make(command, [], {
        shell: true,
        env: Object.fromEntries(kept),
        extendEnv: false,
        stdin: Stream.encodeText(Stream.make(`${body}\n`)),
        stdout: "ignore",
        stderr: "ignore",
        forceKillAfter: "1 second"
      })
    )
    const code = yield* handle.exitCode
    if (code !== 0) return yield* Effect.fail(new NotSent(`exit code ${code}`))
  },
  Effect.scoped,
  Effect.catchTag("PlatformError", (error) => Effect.fail(new NotSent(describePlatformError(error))))
)

/** Sends a notification to each channel. A channel that fails is a warning, and changes nothing else. */
export const send = (
  channels: ReadonlyArray<Channel>,
  notification: Notification.Notification,
  keys: ReadonlyArray<string>,
  within = patience
) => {
  // a shorter key is in any text
  const secrets = keys.filter(({ length }) => length >= 8)
  const redact = (text: string) => secrets.reduce((rest, key) => redactor(key)(rest), text)
  const format = Schema.fromJsonString(Notification.Notification)
  const json = redact(Schema.encodeSync(format)(notification))
  // redacted before Slack's escapes, which are no part of a key
  const slack = SlackMessage.render(Schema.decodeSync(format)(json))
  const sendTo = ({ kind, to }: Channel) =>
    kind === "command" ? run(to, json, redact) : post(to, kind === "slack" ? slack : json)
  return Effect.forEach(
    channels,
    (channel) =>
      sendTo(channel).pipe(
        Effect.timeoutOrElse({
          duration: within,
          orElse: () => Effect.fail(new NotSent(`no end within ${Duration.format(within)}`))
        }),
        Effect.catchTag("NotSent", ({ why }) => {
          // a path of a webhook may be its secret
          const name = isWebAddress(channel.to) ? new URL(channel.to).origin : channel.to
          const line = `Warning: notification not sent by ${channel.kind} (${name}): ${why}. The exit code does not change.`
          return Console.error(redact(line))
        })
      ),
    { concurrency: "unbounded", discard: true }
  )
}

/** The job that this process runs in: its id and address, in GitHub Actions and GitLab. */
const job = Effect.gen(function* () {
  const [server, repository, run, gitlabId, gitlabUrl] = yield* Effect.all(
    ["GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID", "CI_JOB_ID", "CI_JOB_URL"].map(variable)
  )
  if (run === undefined) return { id: gitlabId ?? null, url: gitlabUrl }
  const url =
    server === undefined || repository === undefined ? undefined : `${server}/${repository}/actions/runs/${run}`
  return { id: run, url }
})

/** The address of a scenario in the page of its run, for behind a `#`. */
const addressOf = (run: string | null, suite: string, name: string) =>
  `/trial/${encodeURIComponent(run ?? "")}?${new URLSearchParams({ suite, name })}`

/** Number of days after which an older problem is notified again. */
const remindDays = 7

/** Notifies the channels of `--notify` when a recorded night failed, keeps failing, or passed again. */
export const notify = Effect.fnUntraced(function* (
  options: Pick<RunOptions, "apiKeyEnv" | "notify" | "record" | "remindDays" | "reportUrl">,
  report: RunReport,
  {
    apiKey,
    folder,
    nights
  }: {
    readonly nights: ReadonlyArray<Night>
    readonly folder: string | undefined
    /** The key of the target, where there is one. */
    readonly apiKey?: Redacted.Redacted
  }
) {
  // a part of a night, and one that was stopped, do not say how the night is
  if (!options.record || options.notify.length === 0 || report.interrupted || report.header.shard !== undefined) return
  const { id, url } = yield* job
  const { revisions, seed, startedAt } = report.header
  const values: ReportUrl.Values = {
    run: folder === undefined ? null : basename(folder),
    job: id,
    date: startedAt.slice(0, 10),
    seed: String(seed),
    commit: revisions?.suites?.commit ?? null
  }
  const { reportUrl } = options
  const notification = Notification.of(report, nights, {
    url,
    report: reportUrl === undefined ? null : ReportUrl.runLink(reportUrl, values),
    linkOf: ({ name, suite }) =>
      reportUrl === undefined
        ? null
        : ReportUrl.scenarioLink(reportUrl, values, {
            suite,
            scenario: name,
            anchor: addressOf(values.run, suite, name)
          }),
    remindDays: options.remindDays ?? remindDays
  })
  if (notification === undefined) return
  // a simulated target has a key of its own, and the environment still has the other
  const keys = [apiKey && Redacted.value(apiKey), yield* variable(options.apiKeyEnv)]
  yield* send(
    options.notify,
    notification,
    keys.flatMap((key) => key ?? [])
  )
})
