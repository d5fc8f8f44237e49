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
import { Notification, of } from "../../src/reporters/Notification.ts"
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

/** A receiver that keeps what it gets, and answers with a status, or never. */
const receive = async (status: number | "never" = 200) => {
  const bodies: Array<string> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => {
      bodies.push(body)
      if (status !== "never") response.writeHead(status).end()
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { bodies, url: `http://127.0.0.1:${port}/services/T0/secret-path` }
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
    const reports = ["--reporter", "json", "--report-dir", join(folder, "report")]
    const channels = [`webhook=${hook.url}`, "slack=HOOK", `command=${keeping(file)}`]
    const args = [...recorded, ...reports, ...channels.flatMap((channel) => ["--notify", channel])]
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
      report: join(folder, "report"),
      url: null
    })
    assert.strictEqual(failed?.problems[0]?.title, "weather › holds")
    assert.deepInclude(passed, { event: "passed", problems: [] })
    const texts = chat.bodies.map((body) => (JSON.parse(body) as { readonly text: string }).text)
    assert.match(texts[0] ?? "", /^:red_circle: Night failed: .*\nTarget: simulated\n• weather › holds: failed/u)
    assert.match(texts[1] ?? "", /^:large_green_circle: Night passed again: /u)
    assert.lengthOf(texts, 2)
    const told = readFileSync(file, "utf8")
    assert.include(told, '"event":"passed"')
    assert.include(told, '"PATH"')
    for (const form of [key, encodeURIComponent(key), Buffer.from(key).toString("base64")]) {
      for (const text of [...hook.bodies, ...chat.bodies, told]) assert.notInclude(text, form)
    }
  })

  it("a run that is not recorded is refused, and a mistake is one line", async () => {
    const hook = await receive()
    const args = ["run", suite, "--trials", "1", "--reporter", "console"]
    const unrecorded = await during("1", [...args, "--notify", `webhook=${hook.url}`])
    assert.deepStrictEqual(
      [unrecorded.code, unrecorded.stderr],
      [2, "--notify tells only of recorded nights. Add --record.\n"]
    )
    assert.isEmpty(hook.bodies)
    const { code, stderr } = await call([...args, "--notify", "slack=https://hooks.slack.com/services/x"])
    assert.strictEqual(code, 2)
    assert.match(stderr, /^[^\n]*webhook=URL, slack=VARIABLE[^\n]*\n$/u)
  })
})

it("a notification lists the problems that began in its night, and counts the older ones", () => {
  const report = prepared["fixture night"]
  const sent = report && of(report, [], { url: undefined, folder: undefined })
  assert.deepStrictEqual(
    sent?.problems.map(({ title }) => title),
    ["checkout › known for too long", "v4-browsers › forgets", "checkout › buys the red mug"]
  )
  assert.strictEqual(sent?.more, 3)
})

const notification: Notification = {
  version: 1,
  event: "failed",
  title: "1 failure <!channel>",
  target: "https://your.service",
  startedAt: "2026-11-22T02:00:00.000Z",
  duration_ms: 1000,
  cost_usd: "0.50",
  problems: [{ what: "failed", title: "a › b", evidence: "got wak_in_evidence", age: "new" }],
  more: 0,
  report: "report",
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

describe("sending", () => {
  it("fails softly, and names no secret address", async () => {
    const broken = await receive(500)
    const why = await warnings(
      [
        { kind: "webhook", to: broken.url },
        { kind: "webhook", to: "http://127.0.0.1:9/secret-path" },
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
      "ECONNREFUSED",
      "HTTP 500"
    ])
  })

  it("takes a bounded time", async () => {
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

  it("takes keys out, and Slack's commands", async () => {
    const [hook, chat] = [await receive(), await receive()]
    const channels: ReadonlyArray<Channel> = [
      { kind: "webhook", to: hook.url },
      { kind: "slack", to: "HOOK" }
    ]
    assert.deepStrictEqual(await warnings(channels, { HOOK: chat.url }), [])
    assert.strictEqual(decode(hook.bodies[0] ?? "").problems[0]?.evidence, "got <key>")
    assert.include(chat.bodies[0], "1 failure &lt;!channel&gt;")
    assert.notInclude(hook.bodies.join() + chat.bodies.join(), "wak_in_evidence")
  })
})
