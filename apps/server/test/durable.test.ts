import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { folder, type Program, ready, run, send, start, takenPort, until } from "./program.ts"
import { roundRobin } from "./proxy.ts"

const database = Effect.map(folder, (path) => join(path, "state", "server.db"))

/** A server over a file, and where its v4 is. */
const serving = Effect.fnUntraced(function* (path: string, ...args: ReadonlyArray<string>) {
  const program = yield* start(["serve", "--port", "0", "--data", path, ...args])
  return { program, printed: yield* ready(program) }
})

const killed = (program: Program) =>
  Effect.andThen(
    Effect.sync(() => program.process.kill("SIGKILL")),
    program.ended
  )

const originOf = (address = "") => new URL(address).origin

const isOver = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
  ["completed", "failed", "cancelled"].includes(String(body["status"]))

const task = (script: string) => ({ task: `Find a red mug [simulate ${script}]` })

/** Of the runs in a file, in the order of their creation. */
const statuses = (path: string) => {
  const db = new DatabaseSync(path, { readOnly: true })
  const turns = db.prepare("SELECT status FROM turns ORDER BY n").all()
  db.close()
  return turns.map(({ status }) => status)
}

describe("webagent-server --data", () => {
  it.live("keeps acknowledged data after a kill, with the same links, and repeats nothing", () =>
    Effect.gen(function* () {
      const path = yield* database
      const first = yield* serving(path, "--api-key", "K")
      assert.strictEqual(first.printed["data"], `${path},`)
      // links have the address of the proxy, so the second server may listen on any port
      const servers = [originOf(first.printed["v4"])]
      const at = `${yield* roundRobin(servers)}/api/v4`
      const key = { "idempotency-key": "one" }
      const done = yield* send(at, "K", "POST", "/runs", task("output=found duration=10ms"), key)
      yield* until(send(at, "K", "GET", `/runs/${String(done.body["id"])}`), isOver)
      const long = yield* send(at, "K", "POST", "/runs", task("duration=40s"))
      yield* until(send(at, "K", "GET", `/runs/${String(long.body["id"])}`), ({ body }) => body["status"] === "running")
      const waiting = yield* send(at, "K", "POST", `/sessions/${String(long.body["sessionId"])}/queue`, {
        text: "And a blue one [simulate output=blue duration=10ms]",
        interrupt: false
      })
      const launch = send(at, "K", "POST", "/browsers", {}, { "idempotency-key": "two" })
      const browser = yield* launch
      yield* killed(first.program)

      const { printed } = yield* serving(path, "--api-key", "K")
      servers[0] = originOf(printed["v4"])
      const again = yield* send(at, "K", "POST", "/runs", task("output=found duration=10ms"), key)
      assert.deepStrictEqual([again.body["id"], again.headers.get("idempotency-replayed")], [done.body["id"], "true"])
      const kept = yield* send(at, "K", "GET", `/runs/${String(done.body["id"])}`)
      assert.deepStrictEqual([kept.body["status"], kept.body["result"]], ["completed", "found"])
      const lost = yield* until(send(at, "K", "GET", `/runs/${String(long.body["id"])}`), isOver)
      assert.strictEqual(lost.body["status"], "failed")
      assert.match(String(lost.body["error"]), /lost/u)
      const followed = yield* until(send(at, "K", "GET", `/runs/${String(waiting.body["runId"])}`), isOver)
      assert.deepStrictEqual([followed.body["status"], followed.body["result"]], ["completed", "blue"])
      const stopped = yield* send(at, "K", "PATCH", `/browsers/${String(browser.body["id"])}`, { action: "stop" })
      assert.strictEqual(stopped.body["status"], "stopped")
      assert.strictEqual((yield* launch).body["cdpUrl"], browser.body["cdpUrl"])
      // a second server would carry out the same runs
      const second = yield* run(["serve", "--port", "0", "--data", path, "--api-key", "K"])
      assert.deepStrictEqual(second, {
        code: 2,
        stdout: "",
        stderr: `${path} is in use by another webagent-server. Stop that one, or choose another file with --data.\n`
      })
      assert.isDefined(printed["keys"])
    })
  )

  it.live("drains when it is stopped: reports it, starts nothing, and waits for running tasks", () =>
    Effect.gen(function* () {
      const path = yield* database
      const { printed, program } = yield* serving(path, "--api-key", "K", "--log", "json")
      const at = printed["v4"]
      const origin = new URL(at ?? "").origin
      const running = yield* send(at, "K", "POST", "/runs", task("output=done duration=6s"))
      const id = String(running.body["id"])
      yield* until(send(at, "K", "GET", `/runs/${id}`), ({ body }) => body["status"] === "running")
      const behind = yield* send(at, "K", "POST", `/sessions/${String(running.body["sessionId"])}/queue`, {
        text: "And a blue one [simulate output=blue duration=1ms]",
        interrupt: false
      })
      const well = yield* send(origin, "K", "GET", "/health")
      assert.deepInclude(well.body, {
        status: "ok",
        ready: true,
        draining: false,
        runs: { queued: 1, running: 1 },
        browsers: { active: 0, kind: "simulated", isolation: null, sentence: "simulated: no real browser is started" }
      })
      program.process.kill("SIGTERM")
      const draining = yield* until(send(origin, "K", "GET", "/health"), ({ status }) => status !== 200)
      assert.deepInclude(draining.body, { status: "draining", ready: false, draining: true })
      const late = yield* send(at, "K", "POST", "/runs", task("output=late duration=10ms"))
      const { code, stderr } = yield* program.ended
      assert.strictEqual(code, 0)
      assert.include(JSON.stringify(JSON.parse(stderr.split("\n")[0] ?? "")), "Draining: 1 run still running")
      assert.deepStrictEqual(statuses(path), ["completed", "queued", "queued"])

      const next = yield* serving(path, "--api-key", "K")
      const ended = yield* send(next.printed["v4"], "K", "GET", `/runs/${id}`)
      assert.deepStrictEqual([ended.body["status"], ended.body["result"]], ["completed", "done"])
      for (const waited of [behind.body["runId"], late.body["id"]]) {
        const begun = yield* until(send(next.printed["v4"], "K", "GET", `/runs/${String(waited)}`), isOver)
        assert.strictEqual(begun.body["status"], "completed")
      }
    })
  )

  it.live("changes nothing in the file if it cannot start", () =>
    Effect.gen(function* () {
      const path = yield* database
      const { printed, program } = yield* serving(path, "--api-key", "K")
      const at = printed["v4"]
      const { body } = yield* send(at, "K", "POST", "/runs", task("duration=40s"))
      yield* until(send(at, "K", "GET", `/runs/${String(body["id"])}`), ({ body }) => body["status"] === "running")
      yield* send(at, "K", "POST", `/sessions/${String(body["sessionId"])}/queue`, { text: "Next", interrupt: false })
      yield* killed(program)
      const { port } = yield* takenPort
      const taken = yield* run(["serve", "--data", path, "--api-key", "K", "--port", String(port)])
      assert.deepStrictEqual([taken.code, /^Port \d+ is in use\./u.test(taken.stderr)], [2, true])
      assert.deepStrictEqual(statuses(path), ["running", "queued"])
      const keyless = yield* run(["serve", "--data", path, "--port", "0"])
      assert.deepStrictEqual([keyless.code, /has no API keys\./u.test(keyless.stderr)], [2, true])
      assert.deepStrictEqual(statuses(path), ["running", "queued"])
    })
  )

  it.live("shows each key its own records, within its scopes and limits, and refuses a revoked key", () =>
    Effect.gen(function* () {
      const path = yield* database
      const create = (name: string, ...args: ReadonlyArray<string>) =>
        Effect.map(run(["keys", "create", "--data", path, "--name", name, ...args]), ({ code, stderr, stdout }) => {
          assert.strictEqual(code, 0, stderr)
          return stdout.trim()
        })
      const ci = yield* create("ci", "--max-runs", "1", "--usd-per-day", "1")
      const reader = yield* create("reader", "--scope", "read", "--requests-per-minute", "3")
      yield* create("files", "--max-file-mb", "200", "--keep-files-days", "7")
      const { printed, program } = yield* serving(path)
      const at = printed["v4"]
      assert.deepStrictEqual([printed["keys"], printed["key"]], ["3", undefined])

      const made = yield* send(at, ci, "POST", "/runs", task("duration=1h"), { "idempotency-key": "k" })
      const id = String(made.body["id"])
      assert.strictEqual(made.status, 201)
      const full = yield* send(at, ci, "POST", "/runs", task("duration=1h"))
      assert.deepStrictEqual(
        [full.status, full.body, full.headers.get("retry-after")],
        [
          429,
          {
            detail:
              "This API key has reached its limit of 1 open run. Cancel one, wait until one finishes, or raise the limit"
          },
          "2"
        ]
      )
      // a repeat makes nothing, so no limit holds it up
      const repeated = yield* send(at, ci, "POST", "/runs", task("duration=1h"), { "idempotency-key": "k" })
      assert.deepStrictEqual([repeated.status, repeated.body["id"]], [201, id])
      // unless a day has passed: then it would make a new run
      const db = new DatabaseSync(path, { timeout: 5000 })
      db.exec(`UPDATE idempotency_keys SET created_at_ms = created_at_ms - 86400000,
        record = json_set(record, '$.createdAt_ms', (record ->> 'createdAt_ms') - 86400000)`)
      db.close()
      const expired = yield* send(at, ci, "POST", "/runs", task("duration=1h"), { "idempotency-key": "k" })
      assert.strictEqual(expired.status, 429)

      const other = yield* send(at, reader, "GET", `/runs/${id}`)
      assert.deepStrictEqual([other.status, other.body], [404, { detail: "Run not found" }])
      const refused = yield* send(at, reader, "POST", "/runs", task("duration=1ms"))
      assert.deepStrictEqual([refused.status, refused.body], [403, { detail: "This API key lacks the scope runs" }])
      // a read that finds nothing counts once; the create that was refused did not count
      assert.strictEqual((yield* send(at, reader, "GET", `/runs/${id}/status`)).status, 404)
      assert.strictEqual((yield* send(at, reader, "GET", `/runs/${id}/status`)).status, 404)
      const fast = yield* send(at, reader, "GET", `/runs/${id}/status`)
      assert.strictEqual(fast.status, 429)
      assert.isAtLeast(Number(fast.headers.get("retry-after")), 1)

      assert.strictEqual((yield* send(at, ci, "GET", `/runs/${id}`)).status, 200)
      const revoked = yield* run(["keys", "revoke", "--data", path, "--name", "ci"])
      assert.deepStrictEqual(
        revoked.stdout,
        "Revoked the key ci. The next request with it is refused, and links to its browsers close within about a second.\n"
      )
      assert.strictEqual((yield* send(at, ci, "GET", `/runs/${id}`)).status, 401)
      const listed = yield* run(["keys", "list", "--data", path])
      assert.match(
        listed.stdout,
        /^ci {2}wak_.{4}\.\.\. {2}read,runs,browsers {2}1 runs, 1 USD\/day {2}created .* revoked /mu
      )
      assert.include(listed.stdout, "  200 MB of files, 7 days of files  ")
      assert.notInclude(listed.stdout, ci)

      // the next key of that name sees what the first one made
      const rotated = yield* create("ci")
      assert.strictEqual((yield* send(at, rotated, "GET", `/runs/${id}`)).status, 200)
      yield* killed(program)
    })
  )

  it.live("refuses new runs of a key that has reached its daily spending limit", () =>
    Effect.gen(function* () {
      const path = yield* database
      const { stdout } = yield* run(["keys", "create", "--data", path, "--name", "ci", "--usd-per-day", "0.5"])
      const key = stdout.trim()
      const { printed } = yield* serving(path)
      const at = printed["v4"]
      const paid = yield* send(at, key, "POST", "/runs", task("cost=0.75 duration=10ms"))
      yield* until(send(at, key, "GET", `/runs/${String(paid.body["id"])}`), isOver)
      const refused = yield* send(at, key, "POST", "/runs", task("cost=0.75 duration=10ms"))
      assert.deepStrictEqual(
        [refused.status, refused.body],
        [
          429,
          {
            detail:
              "This API key's runs have cost 0.75 USD today, and its limit is 0.50 USD per day. Wait until midnight UTC, or raise the limit"
          }
        ]
      )
      assert.strictEqual((yield* send(at, key, "POST", "/browsers", {})).status, 201)
    })
  )

  it.live("counts requests and runs at /metrics, without keys and ids", () =>
    Effect.gen(function* () {
      const path = yield* database
      const { printed } = yield* serving(path, "--api-key", "secret-key")
      const at = printed["v4"]
      const made = yield* send(at, "secret-key", "POST", "/runs", task("output=x duration=10ms"))
      const id = String(made.body["id"])
      yield* until(send(at, "secret-key", "GET", `/runs/${id}`), isOver)
      const { body } = yield* send(new URL(at ?? "").origin, "", "GET", "/metrics")
      const text = String(body["text"])
      for (const line of [
        'webagent_runs_ended_total{status="completed"} 1',
        'webagent_runs{status="running"} 0',
        "webagent_store_up 1",
        'webagent_http_requests_total{version="v4",method="POST",status="201"} 1'
      ]) {
        assert.include(text.split("\n"), line)
      }
      assert.match(text, /^webagent_store_bytes\{part="file"\} [1-9]\d+$/mu)
      assert.notInclude(text, id)
      assert.notInclude(text, "secret-key")
    })
  )
})

describe("settings", () => {
  it.live("come from flags, then from the environment, then from the configuration file", () =>
    Effect.gen(function* () {
      const at = yield* folder
      const config = join(at, "server.json")
      writeFileSync(config, JSON.stringify({ port: 1, apiKey: "from-file", data: join(at, "from-file.db") }))
      const program = yield* start(["serve", "--config", config, "--port", "0"], {
        WEBAGENT_SERVER_API_KEY: "from-environment"
      })
      const printed = yield* ready(program)
      const file = join(at, "from-file.db")
      assert.strictEqual(printed["data"], `${file},`)
      assert.match(program.stdout(), /^keys +1 given, 0 in /mu)
      // what is printed may be a log
      assert.notInclude(program.stdout(), "from-environment")
      assert.strictEqual((yield* send(printed["v4"], "from-environment", "POST", "/browsers", {})).status, 201)
      assert.strictEqual((yield* send(printed["v4"], "from-file", "POST", "/browsers", {})).status, 401)
    })
  )

  it.live("are refused in one sentence if a file misspells them", () =>
    Effect.gen(function* () {
      const config = join(yield* folder, "server.json")
      writeFileSync(config, JSON.stringify({ prot: 1 }))
      const { code, stderr } = yield* run(["serve", "--config", config])
      assert.strictEqual(code, 2)
      assert.match(stderr, /^.*server\.json: unknown setting "prot"\. Use one of port, host, .*\.\n$/u)
    })
  )

  it.live("are refused with the new name if they have an old name, in a file and in the environment", () =>
    Effect.gen(function* () {
      const config = join(yield* folder, "server.json")
      writeFileSync(config, JSON.stringify({ isolation: "none" }))
      assert.deepStrictEqual(yield* run(["serve", "--config", config]), {
        code: 2,
        stdout: "",
        stderr: `${config}: setting "isolation" is called "minIsolation" now. Rename it.\n`
      })
      assert.deepStrictEqual(yield* run(["serve"], { WEBAGENT_SERVER_ISOLATION: "none" }), {
        code: 2,
        stdout: "",
        stderr: "WEBAGENT_SERVER_ISOLATION is called WEBAGENT_SERVER_MIN_ISOLATION now. Rename the variable.\n"
      })
    })
  )

  it.live("are refused, and not ignored, if they are lists in a file", () =>
    Effect.gen(function* () {
      const config = join(yield* folder, "server.json")
      writeFileSync(config, JSON.stringify({ allowDomains: ["shop.example", "*.shop.example"] }))
      const { code, stderr } = yield* run(["serve", "--config", config])
      assert.strictEqual(code, 2)
      assert.strictEqual(
        stderr,
        `${config}: setting "allowDomains" must be a text, a number, true or false, such as "shop.example,*.shop.example".\n`
      )
    })
  )

  it.live("are refused if --sqlite-log-limit is combined with a Postgres database", () =>
    Effect.gen(function* () {
      const args = ["serve", "--data", "postgres://user@127.0.0.1:1/name", "--api-key", "K", "--sqlite-log-limit", "64"]
      assert.deepStrictEqual(yield* run(args), {
        code: 2,
        stdout: "",
        stderr: "--sqlite-log-limit works only with a database file. Add --data FILE or remove --sqlite-log-limit.\n"
      })
    })
  )

  const mistakes: Readonly<Record<string, readonly [args: ReadonlyArray<string>, stderr: RegExp]>> = {
    "a profile, which is only for the simulated service": [
      ["--profile", "flaky"],
      /^No flag --profile\. Did you mean the command simulate\? See: npm run server -- serve --help\n$/u
    ],
    "an address for other nodes, although a file has none": [
      ["--advertise", "http://10.0.0.5:8080"],
      /^--advertise works only with servers that share a database\. Add --data postgres:\/\/user@host\/name or remove --advertise\.\n$/u
    ],
    "an invalid address": [["--advertise", "10.0.0.5:8080"], /an address such as http:\/\/10\.0\.0\.5:8080/u],
    "a missing file without a key": [
      [],
      /^\S+ does not exist, so it has no API keys\. Create one: npm run server -- keys create --data \S+ --name NAME\. Or set one with --api-key\.\n$/u
    ]
  }

  for (const [what, [args, stderr]] of Object.entries(mistakes)) {
    it.live(`cause one clear error and exit code 2: ${what}`, () =>
      Effect.gen(function* () {
        const path = yield* database
        const ended = yield* run(["serve", "--port", "0", "--data", path, ...args])
        assert.strictEqual(ended.code, 2)
        assert.match(ended.stderr, stderr)
        assert.isFalse(existsSync(dirname(path)))
      })
    )
  }
})

describe("the simulated service", () => {
  for (const flag of ["--data", "--durable", "--keep-days", "--drain-within", "--browsers", "--model"]) {
    it.live(`has no ${flag}`, () =>
      Effect.gen(function* () {
        const { code, stderr } = yield* run(["simulate", flag, "1"])
        assert.strictEqual(code, 2)
        assert.match(stderr, new RegExp(`^No flag ${flag}\\.(?: Did you mean .*\\?)? See: .* simulate --help\\n$`, "u"))
      })
    )
  }
})

describe("a server without real browsers", () => {
  it.live("explains with --browsers auto why there are none", () =>
    Effect.gen(function* () {
      const path = yield* database
      const args = ["serve", "--port", "0", "--data", path, "--api-key", "K", "--browsers", "auto"]
      const program = yield* start(args, { WEBAGENT_CHROMIUM: "/missing/chromium" })
      const { v4 = "" } = yield* ready(program)
      const { body } = yield* send(new URL(v4).origin, "K", "GET", "/health")
      const browsers = body["browsers"] as { readonly kind: string; readonly sentence: string }
      assert.strictEqual(browsers.kind, "simulated")
      assert.include(browsers.sentence, "/missing/chromium")
      assert.include(program.stdout(), browsers.sentence)
    })
  )

  for (const [flag, value] of [
    ["--min-isolation", "namespaces"],
    ["--browser-languages", "de"],
    ["--allow-private", "10.0.0.5"]
  ] as const) {
    it.live(`refuses ${flag}, which it would otherwise ignore`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* run(["serve", flag, value, "--data", yield* database]), {
          code: 2,
          stdout: "",
          stderr: `${flag} works only with real browsers. Add --browsers chromium or remove ${flag}.\n`
        })
      })
    )
  }
})

it.live("refuses limits of waits for a browser without a limit of simulated browsers", () =>
  Effect.gen(function* () {
    const { code, stderr } = yield* run(["serve", "--run-queue-timeout", "1m", "--data", yield* database])
    assert.strictEqual(code, 2)
    assert.match(
      stderr,
      /^--run-queue-timeout works only with a limited number of browsers\. Add --max-browsers N or remove --run-queue-timeout\.\n$/u
    )
  })
)

describe("database commands", () => {
  it.live("include backup, which copies it while a server uses it, and migrate, which keeps a current file", () =>
    Effect.gen(function* () {
      const path = yield* database
      const { printed, program } = yield* serving(path, "--api-key", "K")
      const made = yield* send(printed["v4"], "K", "POST", "/runs", task("output=x duration=10ms"))
      const copy = `${path}.copy`
      assert.deepStrictEqual(yield* run(["backup", copy, "--data", path]), {
        code: 0,
        stdout: `Backed up ${path} to ${copy}.\n`,
        stderr: ""
      })
      const busy = yield* run(["migrate", "--data", path])
      assert.deepStrictEqual([busy.code, /is in use by another webagent-server/u.test(busy.stderr)], [2, true])
      yield* killed(program)
      const migrated = yield* run(["migrate", "--data", copy])
      assert.match(migrated.stdout, /is up to date \(schema \d+\)\.\n$/u)
      const restored = yield* serving(copy, "--api-key", "K")
      const found = yield* send(restored.printed["v4"], "K", "GET", `/runs/${String(made.body["id"])}`)
      assert.strictEqual(found.status, 200)
    })
  )

  it.live("include prune, which deletes only finished records", () =>
    Effect.gen(function* () {
      const path = yield* database
      const { printed, program } = yield* serving(path, "--api-key", "K")
      const at = printed["v4"]
      for (let run = 0; run < 3; run++) {
        const { body } = yield* send(at, "K", "POST", "/runs", task("output=x duration=1ms"))
        yield* until(send(at, "K", "GET", `/runs/${String(body["id"])}`), isOver)
      }
      const open = yield* send(at, "K", "POST", "/runs", task("duration=1h"))
      const pruned = yield* run(["prune", "--data", path, "--keep-runs", "1"])
      assert.match(pruned.stdout, /^Deleted 2 runs, 0 sessions/u)
      const all = yield* run(["prune", "--data", path, "--keep-days", "0"])
      assert.match(all.stdout, /^Deleted 1 runs, 0 sessions/u)
      assert.strictEqual((yield* send(at, "K", "GET", `/runs/${String(open.body["id"])}`)).status, 200)
      yield* killed(program)
      const db = new DatabaseSync(path, { readOnly: true })
      assert.deepStrictEqual({ ...db.prepare("SELECT count(*) AS count FROM turns").get() }, { count: 1 })
      db.close()
    })
  )

  it.live("don't create the file that they read", () =>
    Effect.gen(function* () {
      const path = yield* database
      const { code, stderr } = yield* run(["keys", "list", "--data", path])
      assert.deepStrictEqual([code, stderr], [2, `${path} does not exist. Choose the database with --data.\n`])
      assert.isFalse(existsSync(path))
    })
  )

  it.live("refuse the name of a database in memory, without creating a file", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run(["serve", "--port", "0", "--api-key", "K", "--data", ":memory:"])
      assert.strictEqual(code, 2)
      assert.match(
        stderr,
        /^Invalid value for flag --data: ":memory:"\. Expected: a file or a postgres:\/\/ address; the command simulate keeps everything in memory\./u
      )
      assert.isFalse(existsSync(":memory:"))
    })
  )
})
