import { conclude } from "@webagent/findings/Conclusion"
import * as FindingText from "@webagent/findings/words/FindingText"
import { type Night, ofReport } from "@webagent/nights/Night"
import * as Onsets from "@webagent/nights/Onsets"
import type { Finding } from "@webagent/report/Finding"
import { RunReport } from "@webagent/report/RunReport"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { send } from "../../src/cli/Notifications.ts"
import { Notification, type NotificationOptions, of } from "../../src/reporters/Notification.ts"
import { prepared } from "../reporters/prepared.ts"
import type { Channel } from "../../src/config/Values.ts"
import { call } from "./inProcess.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-notify-"))
const servers: Array<Server> = []
afterAll(() => {
  for (const server of servers) {
    server.close()
    server.closeAllConnections()
  }
  rmSync(folder, { recursive: true })
})

/** A receiver that keeps what it gets, and answers with a status, a redirect to itself, or never. */
const receive = async (status: number | "never" = 200) => {
  const bodies: Array<string> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => {
      bodies.push(body)
      if (status !== "never") response.writeHead(status, { location: request.url ?? "/" }).end()
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { bodies, url: `http://127.0.0.1:${port}/services/T0/secret-path` }
}

const options: NotificationOptions = {
  url: undefined,
  report: null,
  linkOf: () => null,
  remindDays: 7
}

const decode = Schema.decodeSync(Schema.fromJsonString(Notification))

/** A shell's word for a program that writes its input, and a part of its environment, to a file. */
const keeping = (file: string) =>
  `"${process.execPath}" -e 'process.stdin.pipe(require("fs").createWriteStream(process.argv[1])).on("close", () => require("fs").appendFileSync(process.argv[1], JSON.stringify(process.env)))' "${file}"`

const suite = "test/cli/weather.suite.ts"
const key = "wak_secret_by_value"

/** Runs a command while the suite fails as often as is said, and the environment has the key more than once. */
const during = async (failing: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  const before = { ...process.env }
  Object.assign(process.env, { WEBAGENT_API_KEY: key, OTHER: `Bearer ${key}` })
  const ended = await call(args, { FAILING: failing, WEBAGENT_API_KEY: key, ...env })
  process.env = before
  return ended
}

describe("a recorded night", () => {
  it("notifies when it fails and when it passes again, not while it keeps failing", async () => {
    const [hook, chat] = [await receive(), await receive()]
    const file = join(folder, "command.txt")
    const recorded = ["run", suite, "--trials", "2", "--record", "--history", join(folder, "n.ndjson")]
    const directory = join(folder, "report")
    const reports = ["--reporter", "json,ndjson", "--report-dir", directory]
    const channels = [`webhook=${hook.url}`, "slack=HOOK", `command=${keeping(file)}`]
    const links = ["--report-url", "https://reports.example/{run}/report.html#{anchor}"]
    const args = [...recorded, ...reports, ...links, ...channels.flatMap((channel) => ["--notify", channel])]
    for (const failing of ["0", "1", "1", "0", "0"]) {
      const { code, stderr } = await during(failing, args, { HOOK: chat.url })
      assert.deepStrictEqual([code, stderr], [failing === "0" ? 0 : 1, ""])
      if (failing === "1") assert.lengthOf(hook.bodies, 1)
    }
    const [failed, passed, ...more] = hook.bodies.map((body) => decode(body))
    assert.isEmpty(more)
    assert.deepInclude(failed, {
      event: "failed",
      target: "simulated",
      more: 0,
      report: "https://reports.example/report/report.html",
      url: null
    })
    const [problem] = failed?.problems ?? []
    assert.deepInclude(problem, {
      title: "weather › holds",
      owner: "weather team",
      isReminder: false,
      url: "https://reports.example/report/report.html#%2Ftrial%2Freport%3Fsuite%3Dweather%26name%3Dholds"
    })
    assert.isDefined(problem?.finding.scenarios[0]?.onset?.change)
    const { began, changed } = (problem && FindingText.describe(problem.finding).change) ?? {}
    assert.strictEqual(problem?.change, `began ${began} · changed: ${changed}`)
    assert.deepInclude(problem?.finding.scenarios[0], { suite: "weather", name: "holds", owner: "weather team" })
    assert.deepInclude(passed, { event: "passed", problems: [] })
    const texts = chat.bodies.map((body) => (JSON.parse(body) as { readonly text: string }).text)
    assert.include(
      texts[0] ?? "",
      `:red_circle: Night failed on simulated\n• weather › holds ${problem?.what} (${problem?.age}): ${problem?.evidence} · owner weather team`
    )
    assert.include(texts[1] ?? "", `:large_green_circle: Night passed again on simulated\n${passed?.title}\n`)
    // the report shows the flags, but no address that may be a secret
    const { args: stored } = Schema.decodeSync(Schema.fromJsonString(RunReport))(
      readFileSync(join(directory, "report.json"), "utf8")
    ).header
    assert.include(stored ?? [], `webhook=${new URL(hook.url).origin}/<hidden>`)
    assert.includeMembers([...(stored ?? [])], channels.slice(1))
    for (const name of ["report.json", "events.ndjson"])
      assert.notInclude(readFileSync(join(directory, name), "utf8"), "secret-path")
    // no path of this machine leaves it
    for (const text of [...hook.bodies, ...chat.bodies]) assert.notInclude(text, folder)
    assert.lengthOf(texts, 2)
    const told = readFileSync(file, "utf8")
    assert.include(told, '"event":"passed"')
    assert.include(told, '"PATH"')
    for (const form of [key, encodeURIComponent(key), Buffer.from(key).toString("base64")]) {
      for (const text of [...hook.bodies, ...chat.bodies, told]) assert.notInclude(text, form)
    }
  })

  it("a run that is not recorded is refused, and a mistake prints one line", async () => {
    const hook = await receive()
    const args = ["run", suite, "--trials", "1", "--reporter", "console"]
    const unrecorded = await during("1", [...args, "--notify", `webhook=${hook.url}`])
    assert.deepStrictEqual(
      [unrecorded.code, unrecorded.stderr],
      [2, "Only recorded nights send notifications. Add --record.\n"]
    )
    assert.isEmpty(hook.bodies)
    const { code, stderr } = await call([...args, "--notify", "slack=https://hooks.slack.com/services/x"])
    assert.strictEqual(code, 2)
    assert.match(stderr, /^[^\n]*webhook=URL, slack=VARIABLE[^\n]*\n$/u)
  })
})

it("a notification lists the problems that began in its night, and counts the older ones", () => {
  const report = prepared["fixture night"]
  const sent = report && of(report, [], options)
  assert.deepStrictEqual(
    sent?.problems.map(({ title }) => title),
    ["checkout › known for too long", "v4-browsers › forgets", "checkout › buys the red mug"]
  )
  assert.strictEqual(sent?.more, 3)
})

it("a second failed night sends a notification only if a problem began in it", () => {
  const report = prepared["fixture night"]
  if (report === undefined) throw new Error("it is prepared")
  const before = { ...ofReport(report), startedAt: "2026-01-01T02:00:00.000Z", status: "failed" } as const
  const sentOf = (night: RunReport) => of(night, [before], { ...options, remindDays: 0 })
  assert.deepStrictEqual([sentOf(report)?.event, sentOf(report)?.problems.length], ["failed", 3])
  const { findings: _, ...facts } = report
  const old = { since: "2025-12-30T02:00:00.000Z", nights: 3, known: 9 }
  const results = report.results.map((result) => ({ ...result, onset: { trials: old, invariants: old } }))
  assert.isUndefined(sentOf({ ...facts, results }))
})

describe("a reminder", () => {
  const old = (since: string) => ({ since, nights: 9, known: 20 })
  const sentAfter = (
    days: number,
    change: { readonly remindDays?: number; readonly isAcknowledged?: boolean } = {}
  ) => {
    const report = prepared["failed"]
    if (report === undefined) throw new Error("it is prepared")
    const tonight_ms = Date.parse(report.header.startedAt)
    const at = (ago: number) => new Date(tonight_ms - ago * 86_400_000).toISOString()
    const before = { ...ofReport(report), startedAt: at(1), status: "failed" } as const
    const acknowledged = { owner: "ada", at: at(3) }
    const results = report.results.map((result) => ({
      ...result,
      ...(result.verdict === "failed" ? { onset: { trials: old(at(days)) } } : {}),
      ...(change.isAcknowledged === true ? { acknowledged } : {})
    }))
    const { findings: _, judgement: __, ...facts } = report
    return of({ ...facts, results }, [before], { ...options, remindDays: change.remindDays ?? 7 })
  }

  it("comes after each period of days, until the problem is acknowledged", () => {
    const events = [5, 6, 7, 8, 13, 14, 15].map((days) => sentAfter(days)?.event)
    assert.deepStrictEqual(events, [undefined, undefined, "reminder", undefined, undefined, "reminder", undefined])
    const [problem] = sentAfter(7)?.problems ?? []
    assert.deepInclude(problem, { isReminder: true, title: "shop › buys a mug" })
    assert.isUndefined(sentAfter(7, { isAcknowledged: true }))
    assert.isUndefined(sentAfter(7, { remindDays: 0 }))
    assert.strictEqual(sentAfter(3, { remindDays: 3 })?.event, "reminder")
  })
})

it("a problem of the whole run sends one notification if the night before didn't have it", () => {
  const report = prepared["lost shard"]
  if (report === undefined) throw new Error("it is prepared")
  const concluded = conclude(report)
  const startedAt = new Date(Date.parse(report.header.startedAt) - 86_400_000).toISOString()
  const before = { ...ofReport(concluded), startedAt, status: "failed" } as const
  // as the harness does, which knows the age by the nights before
  const after = (night: Night) => of(conclude(Onsets.mark(report, [night])), [night], options)
  assert.isUndefined(after(before))
  const [problem] = after({ ...before, findings: [] })?.problems ?? []
  assert.strictEqual(problem?.finding.kind._tag, "Incomplete")
})

it("ten nights with a problem of the whole run send one notification, and a reminder after seven days", () => {
  const report = prepared["lost shard"]
  if (report === undefined) throw new Error("it is prepared")
  const concluded = conclude(report)
  const first_ms = Date.parse(report.header.startedAt)
  const at = (night: number) => new Date(first_ms + night * 86_400_000).toISOString()
  const nightAt = (night: number) => ({ ...ofReport(concluded), startedAt: at(night), status: "failed" }) as const
  const eventAt = (night: number, change: Partial<RunReport> = {}) => {
    const before = Array.from({ length: night }, (_, index) => nightAt(index))
    const tonight = { ...concluded, ...change, header: { ...concluded.header, startedAt: at(night) } }
    return of(conclude(Onsets.mark(tonight, before)), before, options)?.event
  }
  const none = Array.from({ length: 6 }, () => undefined)
  assert.deepStrictEqual(
    Array.from({ length: 10 }, (_, night) => eventAt(night)),
    ["failed", ...none, "reminder", undefined, undefined]
  )
  assert.isUndefined(eventAt(7, { acknowledgedKinds: { Incomplete: { owner: "ada", at: at(3) } } }))
})

const finding: Finding = {
  kind: { _tag: "Failed", claimedSuccess: false, cause: null, trials: 1 },
  severity: "error",
  scenarios: [{ suite: "a", name: "b", owner: "<!here>" }]
}

const notification: Notification = {
  version: 1,
  event: "failed",
  title: "1 failure <!channel>",
  target: "https://your.service",
  startedAt: "2026-11-22T02:00:00.000Z",
  duration_ms: 1000,
  cost_usd: "0.50",
  problems: [
    {
      what: "failed",
      title: "a › b",
      evidence: "got wak_in_evidence <!channel> *bold*",
      age: "new",
      isReminder: false,
      owner: "<!here>",
      affected: "kim",
      change: "began between A and B",
      compareUrl: "https://github.com/o/r/compare/a...b",
      next: "Open the trial.",
      url: null,
      finding
    }
  ],
  more: 2,
  report: "https://reports.example/7",
  url: null
}

/** What is warned of when one is sent. */
const warnings = async (
  channels: ReadonlyArray<Channel>,
  env: Readonly<Record<string, string>> = {},
  within?: Duration.Duration
) => {
  const lines: Array<string> = []
  const console: Console.Console = { ...globalThis.console, error: (line) => lines.push(String(line)) }
  const sent = send(channels, notification, ["wak_in_evidence"], within).pipe(
    Effect.provideService(Console.Console, console),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))),
    Effect.provide(NodeServices.layer)
  )
  await Effect.runPromise(sent)
  for (const line of lines) {
    assert.match(line, /^Warning: notification not sent by .*\. The exit code does not change\.$/u)
    assert.notInclude(line, "secret-path")
  }
  return lines.map((line) => /\): (.*?)\. The/u.exec(line)?.[1])
}

describe("sending a notification", () => {
  it("doesn't fail the run, and shows no secret address", async () => {
    const [broken, elsewhere] = [await receive(500), await receive(302)]
    const why = await warnings(
      [
        { kind: "webhook", to: broken.url },
        { kind: "webhook", to: elsewhere.url },
        { kind: "webhook", to: "http://127.0.0.1:9/secret-path" },
        // of a run that is resumed
        { kind: "webhook", to: "http://127.0.0.1:9/<hidden>" },
        { kind: "slack", to: "UNSET" },
        { kind: "slack", to: "ODD" },
        { kind: "command", to: "exit 3" }
      ],
      { ODD: "no-address/secret-path" }
    )
    assert.sameMembers(why, [
      "exit code 3",
      "UNSET is not set",
      "ODD has no address such as https://host/path",
      "connection refused",
      "reports do not store its address: name it in webagent.config.ts, or use webhook=VARIABLE",
      "HTTP 500",
      "HTTP 302, and redirects are not followed"
    ])
    assert.lengthOf(elsewhere.bodies, 1)
  })

  it("ends within a time limit", async () => {
    const silent = await receive("never")
    const channels: ReadonlyArray<Channel> = [
      { kind: "webhook", to: silent.url },
      { kind: "command", to: "sleep 1000" }
    ]
    assert.deepStrictEqual(await warnings(channels, {}, Duration.millis(200)), [
      "no end within 200ms",
      "no end within 200ms"
    ])
  })

  it("removes keys, and Slack's commands", async () => {
    const [hook, chat] = [await receive(), await receive()]
    const channels: ReadonlyArray<Channel> = [
      { kind: "webhook", to: hook.url },
      { kind: "slack", to: "HOOK" }
    ]
    assert.deepStrictEqual(await warnings(channels, { HOOK: chat.url }), [])
    assert.strictEqual(decode(hook.bodies[0] ?? "").problems[0]?.evidence, "got <key> <!channel> *bold*")
    const { blocks, text } = JSON.parse(chat.bodies[0] ?? "") as {
      readonly blocks: ReadonlyArray<{ readonly type: string }>
      readonly text: string
    }
    assert.deepStrictEqual(text.split("\n"), [
      ":red_circle: Night failed on https://your.service",
      "• a › b failed (new): got &lt;key&gt; &lt;!channel&gt; *bold* · owner &lt;!here&gt; · affected: kim · began between A and B · next: Open the trial.",
      "and 2 other problems",
      "<https://reports.example/7|Report>"
    ])
    // elements of rich text show what they are given
    assert.deepStrictEqual(
      blocks.map(({ type }) => type),
      ["header", "rich_text", "rich_text"]
    )
    assert.include(JSON.stringify(blocks[1]), "https://github.com/o/r/compare/a...b")
    assert.notInclude(JSON.stringify(blocks), "mrkdwn")
    assert.notInclude(hook.bodies.join() + chat.bodies.join(), "wak_in_evidence")
  })
})
