import { assert, describe, it } from "@effect/vitest"
import { type LiveMessage, runFilePath, type StartRun, uiApiPath } from "@webagent/harness-api"
import { nightlySetting } from "@webagent/nights/NightlySetting"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { WebSocket } from "ws"
import { run, start } from "../cli/program.ts"
import { type Served, serve } from "./served.ts"

const folder = mkdtempSync(join(tmpdir(), "webagent-ui-"))
afterAll(() => {
  chmodSync(folder, 0o700)
  rmSync(folder, { recursive: true })
})

const hostile = "</script><img src=x onerror=alert(1)>"

writeFileSync(
  join(folder, "shop.suite.ts"),
  `import { scenario, Suite } from "@webagent/scenario/promise"
export default Suite.make("shop", [
  scenario("pays by card", { tags: ["nightly"] }, async ({ check }) => { check.isTrue(true, "it is paid") }),
  scenario("${hostile}", {}, async () => { throw new Error("${hostile}\\u2028") }),
  scenario("takes long", { tags: ["slow"] }, async ({ check }) => {
    await new Promise((resolve) => setTimeout(resolve, 20_000))
    check.isTrue(true, "it ends")
  })
])
`
)
writeFileSync(join(folder, "broken.suite.ts"), 'throw new Error("no database\\nat all")\n')

let ui: Served
beforeAll(async () => {
  ui = await serve(folder)
})

const pays = { suite: "shop", name: "pays by card" }
const fails = { suite: "shop", name: hostile }
const isLong = { suite: "shop", name: "takes long" }

const runOnce = async (scenarios: ReadonlyArray<{ readonly suite: string; readonly name: string }>, record = false) => {
  const { id } = await ui.read(({ actions }) => actions.start({ scenarios, trials: 2, record }))
  const messages = await ui.follow({ run: id, after: 0 }, ({ _tag }) => _tag === "Finished")
  return { id, messages }
}

describe("ui", () => {
  it("never uses another port than the named one, and otherwise the next free one", async () => {
    const taken = await run(["ui", "--port", String(ui.port)], {}, folder)
    assert.deepEqual(
      [taken.code, taken.stdout, taken.stderr],
      [2, "", `Port ${ui.port} is in use. Choose another with --port, or 0 for any free port.\n`]
    )
    const unnamed = [start(["ui"], {}, folder), start(["ui"], {}, folder)]
    const printed = await Promise.all(unnamed.map(({ says }) => says("token=")))
    assert.lengthOf(new Set(printed.map((text) => /127\.0\.0\.1:(?<port>\d+)/u.exec(text)?.groups?.["port"])), 2)
    for (const { ended, signal } of unnamed) {
      signal("SIGINT")
      await ended
    }
  })

  it("lists suites, and explains in one sentence why a file can't be loaded", async () => {
    const { files } = await ui.read(({ suites }) => suites)
    assert.deepEqual(
      files.map(({ argument, scenarios }) => [argument, scenarios.map(({ name }) => name)]),
      [
        ["broken.suite.ts", []],
        ["shop.suite.ts", ["pays by card", hostile, "takes long"]]
      ]
    )
    assert.include(files[0]?.problem, "no database")
    assert.notInclude(files[0]?.problem, "\n")
  })

  it(
    "runs selected scenarios, and two pages and one that reconnected see the same events",
    { timeout: 120_000 },
    async () => {
      const { id, messages } = await runOnce([pays, fails], true)
      const second = await ui.follow({ run: id, after: 0 }, ({ _tag }) => _tag === "Finished")
      const events = (all: typeof messages) => all.filter(({ _tag }) => _tag === "Event" || _tag === "Finished")
      assert.deepEqual(events(second), events(messages))
      const positions = events(messages).map((message) => ("position" in message ? message.position : 0))
      assert.deepEqual(
        positions,
        positions.map((_, index) => index + 1)
      )
      const later = await ui.follow({ run: id, after: 3 }, ({ _tag }) => _tag === "Finished")
      assert.deepEqual(events(later), events(messages).slice(3))
      const run = await ui.read(({ run }) => run(id))
      assert.strictEqual(run.state, "finished")
      assert.strictEqual(run.status, "failed")
      assert.deepEqual(
        run.report?.results.map(({ name, trials, verdict }) => [name, verdict, trials.length]),
        [
          ["pays by card", "passed", 2],
          [hostile, "failed", 2]
        ]
      )
      assert.deepEqual(run.partial, { _tag: "Selection", tags: [], scenarios: 2 })
      assert.deepEqual(run.files.map(({ name }) => name).includes("report.json"), true)
      assert.deepEqual(
        run.replays.map(({ name }) => name),
        ["pays by card", hostile]
      )
      const trace = run.report?.results[0]?.trials[0]?.trace ?? ""
      assert.strictEqual((await ui.read((source) => source.trace(id, trace))).scenario, "pays by card")
      const { rows } = await ui.read(({ runs }) => runs())
      assert.isTrue(rows.some((row) => row.id === id && row.night !== null))
    }
  )

  it("shows recorded nights as a map, one night, a comparison and trends", { timeout: 120_000 }, async () => {
    await runOnce([pays, fails], true)
    const { nights, rows } = await ui.read(({ nights }) => nights())
    const [before, night] = nights.slice(-2)
    if (before === undefined || night === undefined) throw new Error("two nights were recorded")
    assert.deepEqual(
      rows.map(({ name, tags }) => [name, tags]),
      [
        ["pays by card", ["nightly"]],
        [hostile, []]
      ]
    )
    assert.deepEqual([night.cells, night.rates, night.usual], ["pf", [[1, 0, 2]], 2])
    const detail = await ui.read((source) => source.night(night.id))
    assert.deepEqual([detail.previous, detail.run], [before.id, night.run])
    const compared = await ui.read((source) => source.compare(night.id, before.id))
    assert.strictEqual(compared.after.id, night.id)
    const { nights: ids, rows: durations } = await ui.read((source) => source.figures("duration"))
    assert.deepEqual([ids.at(-1), durations.map(({ length }) => length > 0)], [night.id, [true, false]])
    const trend = await ui.read((source) => source.trend(pays))
    assert.isTrue(trend.points.every(({ verdict }) => verdict === "passed"))
    const whole = await ui.read((source) => source.trend(null))
    assert.strictEqual(whole.points.at(-1)?.scored, 4)
    assert.strictEqual((await ui.refused((source) => source.compare(night.id, night.id)))._tag, "CannotError")
    assert.strictEqual((await ui.refused((source) => source.night("abcdef")))._tag, "MissingError")
  })

  it("records a night with the setting of run --record, and no other run", { timeout: 120_000 }, async () => {
    const settingOf = async (change: StartRun) => {
      const { id } = await ui.read(({ actions }) => actions.start({ scenarios: [pays], ...change }))
      await ui.follow({ run: id, after: 0 }, ({ _tag }) => _tag === "Finished")
      const { report } = await ui.read(({ run }) => run(id))
      return [report?.results[0]?.trials.length, report?.header.limits.confirm]
    }
    const { confirm, trials } = nightlySetting
    assert.deepEqual(await settingOf({ record: true }), [trials, confirm])
    assert.deepEqual(await settingOf({ record: true, trials: 2 }), [2, confirm])
    assert.deepEqual(await settingOf({}), [1, undefined])
  })

  it("tells a new connection that nights have changed since an earlier one", async () => {
    const stateOf = async () => {
      const isNights = (message: LiveMessage) => message._tag === "Changed" && message.what === "nights"
      const message = (await ui.follow({ run: null, after: 0 }, isNights)).find(isNights)
      return message?._tag === "Changed" ? message.state : assert.fail()
    }
    const before = await stateOf()
    assert.strictEqual(await stateOf(), before)
    writeFileSync(join(folder, "webagent.quarantine.json"), '{ "entries": [] }\n')
    assert.notStrictEqual(await stateOf(), before)
  })

  it("writes the quarantine file, and releases from it", async () => {
    const expires = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10)
    const entry = { suite: "shop", scenario: "pays by card", owner: "ann", reason: "the card service is down", expires }
    await ui.read(({ actions }) => actions.quarantine(entry))
    const file = () =>
      JSON.parse(readFileSync(join(folder, "webagent.quarantine.json"), "utf8")) as { entries: ReadonlyArray<object> }
    assert.lengthOf(file().entries, 1)
    const { files } = await ui.read(({ suites }) => suites)
    assert.strictEqual(files[1]?.scenarios[0]?.quarantine?.owner, "ann")
    const late = await ui.refused(({ actions }) => actions.quarantine({ ...entry, expires: "2099-01-01" }))
    assert.include(late.detail, "30")
    await ui.read(({ actions }) => actions.release(entry))
    assert.lengthOf(file().entries, 0)
    assert.strictEqual((await ui.refused(({ actions }) => actions.release(entry)))._tag, "CannotError")
  })

  it("stops a run, which writes its report, and runs one at a time", { timeout: 120_000 }, async () => {
    const { id } = await ui.read(({ actions }) => actions.start({ suites: ["shop.suite.ts"], scenarios: [isLong] }))
    const busy = await ui.refused(({ actions }) => actions.start({ suites: ["shop.suite.ts"], scenarios: [pays] }))
    assert.include(busy.detail, id)
    const stopped = await ui.read(({ actions }) => actions.stop(id))
    assert.deepEqual([stopped.state, stopped.isOurs], ["finished", false])
    const { report } = await ui.read(({ run }) => run(id))
    assert.isTrue(report?.interrupted)
    assert.strictEqual((await ui.refused(({ actions }) => actions.stop(id)))._tag, "CannotError")
  })

  it("keeps the events and the history if a run's process dies, and can run again", { timeout: 120_000 }, async () => {
    const history = () => readFileSync(join(folder, ".webagent/history.ndjson"), "utf8")
    await runOnce([pays], true)
    const before = history()
    const { id } = await ui.read(({ actions }) =>
      actions.start({ suites: ["shop.suite.ts"], scenarios: [isLong], record: true })
    )
    const lock = readFileSync(join(folder, ".webagent/runs", id, "run.1.lock"), "utf8")
    const pid = Number(/^process (?<pid>\d+)/u.exec(lock)?.groups?.["pid"])
    assert.notStrictEqual(pid, ui.program.pid)
    process.kill(pid, "SIGKILL")
    await ui.program.complains(`Run ${id}: The run's process was ended by SIGKILL.`)
    const { isOurs, report, state } = await ui.read(({ run }) => run(id))
    assert.deepEqual([state, isOurs, report], ["killed", false, null])
    assert.strictEqual(history(), before)
    const resumed = await run(["run", "--resume", `.webagent/runs/${id}`], {}, folder)
    assert.deepEqual([resumed.code, resumed.stderr.split("\n").length], [2, 2])
    assert.include(resumed.stderr, "has no record of its flags. Start a new run.")
    const next = await runOnce([pays])
    assert.strictEqual((await ui.read(({ run }) => run(next.id))).state, "finished")
  })

  it("keeps the folder of a run whose suite exits the process", { timeout: 120_000 }, async () => {
    const file = join(folder, "leaving.suite.ts")
    writeFileSync(
      file,
      `import { scenario, Suite } from "@webagent/scenario/promise"
export default Suite.make("leaving", [scenario("leaves", {}, async () => { process.exit(0) })])
`
    )
    const { id } = await ui.read(({ actions }) => actions.start({ suites: ["leaving.suite.ts"] }))
    await ui.program.complains(`Run ${id}: The run's process exited before it wrote its report.`)
    const { report, state } = await ui.read(({ run }) => run(id))
    assert.deepEqual([state, report], ["killed", null])
    rmSync(file)
  })

  it("refuses a run in one sentence, and leaves no folder", async () => {
    const count = async () => (await ui.read(({ runs }) => runs())).total
    const before = await count()
    const none = { suite: "shop", name: "is not there" }
    const error = await ui.refused(({ actions }) => actions.start({ suites: ["shop.suite.ts"], scenarios: [none] }))
    assert.include(error.detail, "No scenario")
    const broken = await ui.refused(({ actions }) => actions.start({ suites: ["broken.suite.ts"] }))
    assert.include(broken.detail, "no database")
    const elsewhere = await ui.refused(({ actions }) => actions.start({ target: "https://elsewhere.example" }))
    assert.include(elsewhere.detail, "no target")
    assert.strictEqual(await count(), before)
  })
})

const cookieOf = async () => {
  const own = { origin: ui.origin }
  const { headers } = await ui.send(`${uiApiPath}/session`, own, {
    method: "POST",
    body: JSON.stringify({ token: ui.token })
  })
  return headers["set-cookie"]?.[0] ?? ""
}

const startRequest = { method: "POST", body: JSON.stringify({ scenarios: [{ suite: "shop", name: "is not there" }] }) }

describe("the access control of ui", () => {
  it("opens a session with the token, in a cookie that no script or other site gets", async () => {
    const cookie = await cookieOf()
    assert.match(cookie, new RegExp(`^webagent_ui_${ui.port}=\\S+; Path=/; HttpOnly; SameSite=Strict$`, "u"))
    assert.notInclude(cookie, ui.token)
    const session = cookie.split(";")[0] ?? ""
    assert.strictEqual((await ui.send(`${uiApiPath}/project`, { cookie: session })).status, 200)
    const wrong = await ui.send(
      `${uiApiPath}/session`,
      { origin: ui.origin },
      { method: "POST", body: '{"token":"x"}' }
    )
    assert.deepEqual([wrong.status, wrong.headers["set-cookie"]], [401, undefined])
  })

  it.each(["evil.example", "evil.example:1", "127.0.0.1.evil.example", "localhost", "127.0.0.1:1", "[::1]"])(
    "refuses the host %s, even with the token",
    async (host) => {
      for (const path of ["/", "/ui/", `${uiApiPath}/project`]) {
        assert.strictEqual((await ui.send(path, { host, "x-webagent-token": ui.token })).status, 403)
      }
    }
  )

  it("refuses requests without a session, and with a wrong token or cookie", async () => {
    const name = `webagent_ui_${ui.port}`
    const wrong = [{}, { "x-webagent-token": "wrong" }, { cookie: `${name}=wrong` }, { cookie: `${name}=${ui.token}` }]
    for (const headers of wrong) {
      for (const path of ["project", "suites", "runs", "nights", "load", "socket", "runs/a/files/b"]) {
        assert.strictEqual((await ui.send(`${uiApiPath}/${path}`, headers)).status, 401)
      }
      assert.strictEqual((await ui.send(`${uiApiPath}/runs`, headers, startRequest)).status, 401)
    }
  })

  it("accepts changes with the cookie only from its own page", async () => {
    const cookie = (await cookieOf()).split(";")[0] ?? ""
    const foreign = [
      { origin: "https://evil.example" },
      { origin: `http://127.0.0.1:${ui.port + 1}` },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" }
    ]
    for (const headers of foreign) {
      assert.strictEqual((await ui.send(`${uiApiPath}/runs`, { cookie, ...headers }, startRequest)).status, 403)
      assert.strictEqual((await ui.send(`${uiApiPath}/runs`, { cookie, ...headers })).status, 403)
    }
    // a form or a program of this machine that has the cookie sends no origin
    assert.strictEqual((await ui.send(`${uiApiPath}/runs`, { cookie }, startRequest)).status, 401)
    const own = [{ origin: ui.origin }, { "sec-fetch-site": "same-origin" }]
    for (const headers of own)
      assert.strictEqual((await ui.send(`${uiApiPath}/runs`, { cookie, ...headers }, startRequest)).status, 409)
  })

  it("refuses the WebSocket of another page and of one without a session", async () => {
    const connect = (headers: Readonly<Record<string, string>>) =>
      new Promise<number>((resolve) => {
        const socket = new WebSocket(`ws://127.0.0.1:${ui.port}${uiApiPath}/socket`, { headers })
        socket.on("open", () => resolve(101)).on("error", () => undefined)
        socket.on("unexpected-response", (_, response) => resolve(response.statusCode ?? 0))
      })
    const cookie = (await cookieOf()).split(";")[0] ?? ""
    assert.strictEqual(await connect({ cookie, origin: "https://evil.example" }), 403)
    assert.strictEqual(await connect({ origin: ui.origin }), 401)
    assert.strictEqual(await connect({ cookie, origin: ui.origin }), 101)
  })

  it("reads no file outside of runs", async () => {
    const { rows } = await ui.read(({ runs }) => runs())
    const id = rows.find(({ state }) => state === "finished")?.id ?? ""
    symlinkSync("/etc/hosts", join(folder, ".webagent", "runs", id, "hosts.txt"))
    symlinkSync(join(folder), join(folder, ".webagent", "runs", "linked"))
    mkdirSync(join(folder, ".webagent", "runs", "empty"))
    const token = { "x-webagent-token": ui.token }
    const paths = [
      runFilePath(id, "hosts.txt"),
      runFilePath(id, "../../history.ndjson"),
      runFilePath("linked", "shop.suite.ts"),
      runFilePath("..", "history.ndjson"),
      `${uiApiPath}/runs/${id}/files/..%2f..%2fhistory.ndjson`,
      `${uiApiPath}/runs/${id}/files/%00`,
      `${uiApiPath}/runs/${id}/traces/..%2freport`,
      `${uiApiPath}/runs/linked`,
      `${uiApiPath}/runs/empty`,
      `${uiApiPath}/load/${id}/..%2freport`
    ]
    for (const path of paths) {
      const { status, text } = await ui.send(path, token)
      assert.isTrue(status === 404 || status === 422, `${path}: ${status} ${text}`)
    }
    const file = await ui.send(runFilePath(id, "report.json"), token)
    assert.deepEqual([file.status, file.headers["content-disposition"]], [200, "attachment"])
    assert.include(file.headers["content-security-policy"], "default-src 'none'")
  })
})

describe("the ui command", () => {
  it("needs a cost limit for paid scenarios", { timeout: 120_000 }, async () => {
    const error = await serve(folder, ["--allow-paid"]).catch(String)
    assert.include(error, "--max-cost")
  })

  it("ends a run cleanly on Ctrl-C, and prints its token once", { timeout: 120_000 }, async () => {
    const { id } = await ui.read(({ actions }) => actions.start({ suites: ["shop.suite.ts"], scenarios: [isLong] }))
    ui.program.signal("SIGINT")
    const { code, stderr, stdout } = await ui.program.ended
    assert.strictEqual(code, 0)
    const report = JSON.parse(readFileSync(join(folder, ".webagent", "runs", id, "report.json"), "utf8")) as {
      interrupted: boolean
    }
    assert.isTrue(report.interrupted)
    assert.lengthOf(`${stdout}${stderr}`.split(ui.token), 2)
    assert.include(stdout, join(folder, ".webagent"))
  })
})
