import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { Night } from "@webagent/nights/Night"
import type { RunReport } from "@webagent/report/RunReport"
import { describePlatformError } from "@webagent/cli/PlatformErrorText"
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
import { type Channel, isWebAddress } from "../config/Values.ts"
import { redactor } from "../observe/KeyRedaction.ts"
import { codeOf } from "../observe/SystemError.ts"
import * as Notification from "../reporters/Notification.ts"
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
    const address = isWebAddress(to) ? to : yield* variable(to)
    if (address === undefined) return yield* Effect.fail(new NotSent(`${to} is not set`))
    if (!isWebAddress(address)) return yield* Effect.fail(new NotSent(`${to} has no address such as https://host/path`))
    const request = HttpClientRequest.post(address).pipe(HttpClientRequest.bodyText(body, "application/json"))
    const { status } = yield* HttpClient.execute(request)
    if (status < 200 || status >= 300) return yield* Effect.fail(new NotSent(`HTTP ${status}`))
  },
  Effect.catchTag("HttpClientError", (error) => Effect.fail(new NotSent(codeOf(error) ?? "no response"))),
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
  const json = redact(Schema.encodeSync(Schema.fromJsonString(Notification.Notification))(notification))
  const slack = redact(Notification.slack(notification))
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

/** The address of the job that this process runs in; undefined outside of GitHub Actions. */
const jobUrl = Effect.gen(function* () {
  const [server, repository, run] = yield* Effect.all([
    variable("GITHUB_SERVER_URL"),
    variable("GITHUB_REPOSITORY"),
    variable("GITHUB_RUN_ID")
  ])
  return server === undefined || repository === undefined || run === undefined
    ? undefined
    : `${server}/${repository}/actions/runs/${run}`
})

/** Notifies the channels of `--notify` when a recorded night failed, or passed again. */
export const notify = Effect.fnUntraced(function* (
  options: Pick<RunOptions, "apiKeyEnv" | "notify" | "record">,
  report: RunReport,
  given: {
    readonly nights: ReadonlyArray<Night>
    readonly folder: string | undefined
    /** The key of the target, where there is one. */
    readonly apiKey?: Redacted.Redacted
  }
) {
  // a part of a night, and one that was stopped, do not say how the night is
  if (!options.record || options.notify.length === 0 || report.interrupted || report.header.shard !== undefined) return
  const notification = Notification.of(report, given.nights, { folder: given.folder, url: yield* jobUrl })
  if (notification === undefined) return
  // a simulated target has a key of its own, and the environment still has the other
  const keys = [given.apiKey && Redacted.value(given.apiKey), yield* variable(options.apiKeyEnv)]
  yield* send(
    options.notify,
    notification,
    keys.flatMap((key) => key ?? [])
  )
})
