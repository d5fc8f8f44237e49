import { assert, it } from "@effect/vitest"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { hash } from "node:crypto"
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { chromium } from "playwright-core"
import { folder, ready, run, send, start } from "./program.ts"

const key = "wak_profiles"
const stranger = "wak_stranger"

/** A site that keeps a person signed in with a cookie of the session. */
const site = Effect.acquireRelease(
  Effect.callback<{ readonly address: string; readonly close: () => void }>((resume) => {
    const server = createServer(({ headers, url }, response) => {
      if (url === "/sign-in") response.setHeader("set-cookie", "session=s3cretvalue; HttpOnly")
      response.setHeader("content-type", "text/html")
      response.end(/session=s3cretvalue/u.test(headers.cookie ?? "") ? "signed in" : "signed out")
    }).listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ address: `http://127.0.0.1:${port}`, close: () => server.closeAllConnections() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

/** A server's folder, its database, and the site that its browsers may open. */
interface Served {
  readonly path: string
  readonly data: string
  readonly site: URL
  readonly node?: string
}

/** A server with real browsers. It leaves nothing outside of the folder. */
const serve = Effect.fnUntraced(function* (
  { data, node = "one", path, site: { host } }: Served,
  environment: Readonly<Record<string, string>> = {},
  flags: ReadonlyArray<string> = []
) {
  // browsers of a server that is root run as another user
  chmodSync(path, 0o711)
  const program = yield* start(
    [
      ["serve", "--browsers", "chromium", "--min-isolation", "none", "--allow-private", host, "--port", "0"],
      ["--api-key", key, "--api-key", stranger, "--data", data, "--node", node],
      flags
    ].flat(),
    { TMPDIR: path, ...environment },
    undefined,
    // a server without a terminal reloads by SIGHUP
    ["setsid"],
    path
  )
  const { v4 } = yield* ready(program)
  const kill = Effect.andThen(
    Effect.sync(() => program.process.kill("SIGKILL")),
    program.ended
  )
  return { kill, program, v4 }
})

/** Opens a page in a new browser with the profile, returns its text, and stops the browser. */
const visit = (v4: string | undefined, profileId: string, ...pages: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { body, status } = yield* send(v4, key, "POST", "/browsers", { profileId })
    assert.strictEqual(status, 201, JSON.stringify(body))
    const text = yield* Effect.promise(async () => {
      const browser = await chromium.connectOverCDP(String(body["cdpUrl"]))
      const page = browser.contexts()[0]?.pages()[0] ?? assert.fail()
      for (const address of pages) await page.goto(address)
      return page.textContent("body")
    })
    yield* send(v4, key, "PATCH", `/browsers/${String(body["id"])}`, { action: "stop" })
    return { mode: body["profileMode"], text }
  })

const makeProfile = (v4: string | undefined) =>
  Effect.map(send(v4, key, "POST", "/profiles", { name: "Shop" }), ({ body }) => String(body["id"]))

it.live(
  "a profile stays signed in after a kill of its server and a new key, for its owner only, and is deleted for good",
  () =>
    Effect.gen(function* () {
      const { address } = yield* site
      const path = yield* folder
      const served = { path, data: join(path, "server.db"), site: new URL(address) }
      const first = yield* serve(served)
      const id = yield* makeProfile(first.v4)
      assert.deepStrictEqual(yield* visit(first.v4, id, `${address}/sign-in`), { mode: "write", text: "signed out" })
      yield* first.kill

      const keyFile = join(path, "profile.key")
      assert.strictEqual(statSync(keyFile).mode & 0o777, 0o600)
      for (const name of readdirSync(path).filter((file) => file.startsWith("server.db"))) {
        assert.notInclude(readFileSync(join(path, name), "latin1"), "s3cretvalue")
      }

      // a new key encrypts, and the old one still opens what it encrypted
      const keys = [Buffer.alloc(32, 7).toString("base64"), readFileSync(keyFile, "utf8")].join()
      const { v4 } = yield* serve(served, { WEBAGENT_PROFILE_KEY: keys })
      assert.strictEqual((yield* visit(v4, id, address)).text, "signed in")
      const { body } = yield* send(v4, key, "GET", `/profiles/${id}`)
      assert.deepStrictEqual(body["cookieDomains"], ["127.0.0.1"])
      assert.isString(body["lastUsedAt"])

      for (const [method, to, sent] of [
        ["GET", `/profiles/${id}`, undefined],
        ["PATCH", `/profiles/${id}`, { name: "mine" }],
        ["DELETE", `/profiles/${id}`, undefined],
        ["POST", "/browsers", { profileId: id }],
        ["POST", "/runs", { task: "t", browserSettings: { profileId: id } }]
      ] as const) {
        const answer = yield* send(v4, stranger, method, to, sent)
        assert.deepStrictEqual([answer.status, answer.body], [404, { detail: "Profile not found" }], `${method} ${to}`)
      }
      assert.strictEqual((yield* send(v4, stranger, "GET", "/profiles")).body["totalItems"], 0)

      assert.strictEqual((yield* send(v4, key, "DELETE", `/profiles/${id}`)).status, 204)
      assert.strictEqual((yield* send(v4, key, "POST", "/browsers", { profileId: id })).status, 404)
    }).pipe(Effect.scoped)
)

it.live("SIGHUP encrypts profiles with the new key of a file while the server runs", () =>
  Effect.gen(function* () {
    const { address } = yield* site
    const path = yield* folder
    const [first, second] = [3, 4].map((byte) => Buffer.alloc(32, byte))
    const keyFile = join(path, "keys")
    const write = (...keys: ReadonlyArray<Buffer | undefined>) =>
      writeFileSync(keyFile, keys.map((one) => one?.toString("base64")).join(), { mode: 0o600 })
    write(first)
    const data = join(path, "server.db")
    const served = { path, data, site: new URL(address) }
    const { program, v4 } = yield* serve(served, {}, ["--profile-key-file", keyFile, "--log-level", "info"])
    let log = ""
    program.process.stderr?.on("data", (chunk) => (log += String(chunk)))
    const reload = (text: string) =>
      Effect.andThen(
        Effect.sync(() => program.process.kill("SIGHUP")),
        Effect.suspend(() => (log.includes(text) ? Effect.void : Effect.fail(log))).pipe(
          Effect.retry({ schedule: Schedule.spaced("20 millis"), times: 1500 })
        )
      )
    const keyIds = () => {
      using database = new DatabaseSync(data, { readOnly: true })
      return database
        .prepare("SELECT DISTINCT key_id FROM profile_saves")
        .all()
        .map((row) => row["key_id"])
    }
    const idOf = (bytes: Buffer | undefined) => hash("sha256", bytes ?? "", "hex").slice(0, 8)

    const id = yield* makeProfile(v4)
    yield* visit(v4, id, `${address}/sign-in`)
    assert.deepStrictEqual(keyIds(), [idOf(first)])
    writeFileSync(keyFile, "secret")
    yield* reload("Could not reload after SIGHUP, so every setting stays as it is.")
    write(second, first)
    yield* reload("encrypted the profiles with the new profile key")
    assert.deepStrictEqual(keyIds(), [idOf(second)])
    // the old key isn't needed any more
    log = ""
    write(second)
    yield* reload("encrypted the profiles with the new profile key")
    assert.strictEqual((yield* visit(v4, id, address)).text, "signed in")
  }).pipe(Effect.scoped)
)

it.live("SIGHUP reads a generated profile.key again, and names a key that secrets of unfinished runs need", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const data = join(path, "server.db")
    const { program } = yield* serve({ path, data, site: new URL("http://127.0.0.1") }, {}, ["--log-level", "info"])
    let log = ""
    program.process.stderr?.on("data", (chunk) => (log += String(chunk)))
    const reload = (text: string) =>
      Effect.suspend(() => {
        log = ""
        program.process.kill("SIGHUP")
        return Effect.retry(
          Effect.suspend(() => (log.includes(text) ? Effect.void : Effect.fail(log))),
          { schedule: Schedule.spaced("20 millis"), times: 500 }
        )
      })
    const write = (text: string) => {
      using database = new DatabaseSync(data)
      database.exec(text)
    }
    const keyFile = join(path, "profile.key")
    const old = readFileSync(keyFile, "utf8")
    const oldId = hash("sha256", Buffer.from(old, "base64"), "hex").slice(0, 8)
    const secret = { alias: "pin", domains: [], server: null, sealed: `${oldId}.abc` }
    const record = JSON.stringify({ tags: [], secrets: [secret] })
    write(`INSERT INTO turns (id, session_id, seq, status, usd, record) VALUES ('t', 's', 0, 'queued', 0, '${record}')`)
    const warning = `Secrets of unfinished runs are encrypted with the profile key ${oldId}. Keep that key`
    const missing = `Secrets of unfinished runs are encrypted with the profile key ${oldId}. This server doesn't have`
    yield* reload("no setting changed")
    assert.notInclude(log, warning)
    writeFileSync(keyFile, [Buffer.alloc(32, 9).toString("base64"), old].join())
    yield* reload("encrypted the profiles with the new profile key")
    assert.include(log, warning)
    assert.notInclude(log, missing)
    yield* reload("no setting changed")
    assert.include(log, warning)
    writeFileSync(keyFile, Buffer.alloc(32, 9).toString("base64"))
    yield* reload("encrypted the profiles with the new profile key")
    assert.include(log, missing)
    assert.notInclude(log, warning)
    write("DELETE FROM turns")
    yield* reload("no setting changed")
    assert.notInclude(log, missing)
  }).pipe(Effect.scoped)
)

it.live("a profile saved on one node is used on another one", () =>
  Effect.gen(function* () {
    const { address } = yield* site
    const path = yield* folder
    const data = yield* (yield* TestPostgres).database
    const served = { path, data, site: new URL(address) }
    const shared = { WEBAGENT_PROFILE_KEY: Buffer.alloc(32, 1).toString("base64") }
    const [east, west] = yield* Effect.all([serve(served, shared), serve({ ...served, node: "two" }, shared)], {
      concurrency: "unbounded"
    })
    const id = yield* makeProfile(east.v4)
    yield* visit(east.v4, id, `${address}/sign-in`)
    assert.deepStrictEqual(yield* visit(west.v4, id, address), { mode: "write", text: "signed in" })
  }).pipe(Effect.scoped, Effect.provide(TestPostgres.layer))
)

it.live("an invalid profile key file is refused in one sentence", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const file = join(path, "keys")
    const data = join(path, "server.db")
    const refusal = Effect.map(
      run(["serve", "--browsers", "chromium", "--data", data, "--api-key", key, "--profile-key-file", file]),
      ({ code, stderr }) => [code, stderr.trim().replaceAll(path, "")]
    )
    assert.deepStrictEqual(yield* refusal, [
      2,
      "Cannot read the profile key file /keys. Check the path and its permissions."
    ])
    writeFileSync(file, "secret", { mode: 0o600 })
    assert.deepStrictEqual(yield* refusal, [
      2,
      "/keys: The profile key isn't Base64 of 32 bytes. Make one: openssl rand -base64 32."
    ])
    writeFileSync(file, "")
    assert.deepStrictEqual(yield* refusal, [2, "/keys has no key. Make one: openssl rand -base64 32."])
    chmodSync(file, 0o644)
    assert.deepStrictEqual(yield* refusal, [2, "Other users can read the profile key file /keys. Run: chmod 600 /keys"])
  }).pipe(Effect.scoped)
)
