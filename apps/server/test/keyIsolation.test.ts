import { AdminApi, adminPath, NeedsAdmin } from "@webagent/admin"
import { assert, describe, it } from "@effect/vitest"
import { ApiKeys, keyScopes, type KeyScope, Workspaces } from "@webagent/engine"
import { Database, SqlApiKeys, SqlWorkspaces } from "@webagent/sql"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as HttpApi from "effect/http-api/HttpApi"
import { reflect } from "effect/http-api/HttpApi"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { join } from "node:path"
import { layerFiles } from "../src/files.ts"
import { node } from "./node.ts"
import { folder, send, until } from "./program.ts"

type Json = Readonly<Record<string, unknown>>

/** An operation of the server. Its path has `:name` for each parameter. */
interface Operation {
  readonly method: string
  readonly path: string
  readonly needsAdmin: boolean
}

/** A text that only the owner may read: all names, tasks, questions and files contain it. */
const secret = "c0nfidential"

const hookOf = (text: string) => ({ url: `http://127.0.0.1:9/${text}`, description: text })

/** The operations that a version's OpenAPI document shows. */
const documented = (address: string, version: string) =>
  Effect.map(send(address, "", "GET", `/api/${version}/openapi.json`), ({ body }): ReadonlyArray<Operation> => {
    const paths = body["paths"] as Readonly<Record<string, Json>>
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => ["get", "post", "put", "patch", "delete"].includes(method))
        .map((method) => ({
          method: method.toUpperCase(),
          path: (path.startsWith("/api/") ? path : `/api/${version}${path}`).replaceAll(/\{(\w+)\}/gu, ":$1"),
          needsAdmin: false
        }))
    )
  })

/** The operations of the admin API, but for the stream of events, which doesn't end. */
const administrative: ReadonlyArray<Operation> = (() => {
  const all: Array<Operation> = []
  reflect(AdminApi as unknown as HttpApi.Top, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint: { annotations, method, path } }) =>
      void all.push({ method, path, needsAdmin: Context.get(annotations, NeedsAdmin) })
  })
  return all.filter(({ path }) => path !== `${adminPath}/events`)
})()

/** Operations that take a key, and that no document shows. */
const undocumented: ReadonlyArray<Operation> = ["attachments.zip", "steps"].map((name) => ({
  method: "GET",
  path: `/api/v4/runs/:run_id/${name}`,
  needsAdmin: false
}))

/** Bodies that pass the check of their fields, so that the server looks for the record. */
const bodies: ReadonlyArray<readonly [RegExp, Json]> = [
  [/^POST .*\/(?:queue|messages)$/u, { text: "theirs", interrupt: true }],
  [/^PATCH .*\/(?:tasks|sessions|browsers)\/:\w+$/u, { action: "stop" }],
  [/^PATCH .*\/(?:profiles|workspaces)\/:\w+$/u, { name: "theirs" }],
  [/^PATCH .*\/(?:webhooks|schedules)\/:\w+$/u, { active: false }],
  [/^POST .*\/files\/upload$/u, { files: [{ name: "theirs.txt", size: 1 }] }],
  [/^POST .*\/ask$/u, { question: "Theirs?" }],
  [/^POST .*\/answer$/u, { questionId: "1", answer: "Red" }],
  [/^PUT .*\/mark$/u, { verdict: "wrong" }],
  [/^PUT .*\/limits$/u, { runs: 0, browsers: 0, requestsPerMinute: null, usdPerDay: null }]
]

const bodyOf = ({ method, path }: Operation) =>
  method === "GET" || method === "DELETE"
    ? undefined
    : (bodies.find(([pattern]) => pattern.test(`${method} ${path}`))?.[1] ?? {})

/** True if an operation is for records that exist. */
const isOfRecord = ({ path }: Operation) => path.includes("/:")

/** Operations after which others find less are last. */
const order = ({ method, path }: Operation) =>
  method === "GET" ? 0 : method === "DELETE" || path.endsWith("/purge") ? 3 : /stop|cancel/u.test(path) ? 2 : 1

const noFile = "?path=theirs.txt"

/** A server with three keys, and the requests of each. */
const served = Effect.gen(function* () {
  const path = yield* folder
  const file = join(path, "server.db")
  const files = join(path, "files")
  const { address } = yield* node(file, "east", Duration.zero, files)
  const database = Database.layer({ file })
  const keyOf = (name: string, scopes: ReadonlyArray<KeyScope>) =>
    ApiKeys.use((keys) =>
      keys.create({ name, scopes, limits: { runs: null, browsers: null, requestsPerMinute: null, usdPerDay: null } })
    ).pipe(
      Effect.map(({ secret }) => Redacted.value(secret)),
      Effect.provide(Layer.provide(SqlApiKeys.layer, database))
    )
  const keys = {
    mine: yield* keyOf(
      "tenant-mine",
      keyScopes.filter((scope) => scope !== "admin")
    ),
    theirs: yield* keyOf(
      "tenant-theirs",
      keyScopes.filter((scope) => scope !== "admin")
    ),
    admin: yield* keyOf("tenant-admin", ["admin"])
  }
  /** Stores a file as if the agent of a run had downloaded it. */
  const attach = (id: string) => {
    const bytes = Buffer.from(secret)
    const limits = SqlWorkspaces.defaultFileLimits
    const attached = Effect.flatMap(Workspaces, (workspaces) =>
      workspaces === null
        ? Effect.die("no workspaces")
        : workspaces.attach(
            { id, owner: "tenant-mine" },
            { path: `${secret}.csv`, contentType: "text/csv" },
            Stream.make(bytes),
            bytes.length
          )
    )
    const storage = Layer.provide(layerFiles({ folder: files, limits, keep_ms: 1 }, false), database)
    return Effect.provide(attached, storage, { local: true })
  }
  const ask = (
    key: keyof typeof keys,
    method: string,
    to: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {}
  ) => send(address, keys[key], method, to, body, headers)
  const versions = yield* Effect.forEach(["v2", "v3", "v4"], (version) => documented(address, version))
  return { address, ask, attach, keys, operations: [...versions.flat(), ...administrative, ...undocumented] }
})

type Served = Effect.Success<typeof served>

const idOf = (body: Json) => String(body["id"])

/** One record of each kind, all with the secret text, by the names of their parameters in paths. */
const belongings = Effect.fnUntraced(function* ({ ask, attach }: Served) {
  const make = (to: string, body: Json, headers: Readonly<Record<string, string>> = {}) =>
    Effect.map(ask("mine", "POST", to, body, headers), ({ body: made, status }) => {
      assert.oneOf(status, [200, 201, 202], `${to}: ${JSON.stringify(made)}`)
      return made
    })
  const profile = idOf(yield* make("/api/v4/profiles", { name: secret }))
  const workspace = idOf(yield* make("/api/v4/workspaces", { name: secret }))
  const uploads = yield* make(`/api/v4/workspaces/${workspace}/files/upload`, {
    files: [{ name: `${secret}.txt`, size: secret.length }]
  })
  const [upload] = uploads["files"] as ReadonlyArray<Json>
  yield* Effect.promise(() => fetch(String(upload?.["uploadUrl"]), { method: "PUT", body: secret }))
  const task = `${secret} [simulate steps=2 duration=20ms ask="${secret}?" choices=["Red","Blue"]]`
  const request = {
    task,
    workspaceId: workspace,
    browserSettings: { profileId: profile },
    handOff: { timeout: 3600 }
  }
  const run = yield* make("/api/v4/runs", request, { "idempotency-key": secret })
  const session = String(run["sessionId"])
  yield* until(ask("mine", "GET", `/api/v4/runs/${idOf(run)}`), ({ body }) => "waitingFor" in body)
  yield* attach(idOf(run))
  const message = yield* make(`/api/v4/sessions/${session}/queue`, { text: secret, interrupt: false })
  yield* make(`/api/v2/sessions/${session}/public-share`, {})
  const browser = idOf(yield* make("/api/v4/browsers", { metadata: { note: secret }, profileId: profile }))
  yield* ask("mine", "PUT", `${adminPath}/runs/${idOf(run)}/mark`, { verdict: "right", note: secret })
  yield* ask("mine", "POST", `${adminPath}/runs/${idOf(run)}/share`)
  const hook = yield* make(`${adminPath}/webhooks`, hookOf(secret), { "idempotency-key": secret })
  const webhook = idOf(hook["webhook"] as Json)
  const delivery = idOf(yield* make(`${adminPath}/webhooks/${webhook}/test`, {}))
  const schedule = idOf(
    yield* make(`${adminPath}/schedules`, { name: secret, cron: "0 6 1 1 *", run: { task: secret } })
  )
  const attachments = yield* ask("mine", "GET", `/api/v4/runs/${idOf(run)}/attachments`)
  const [attachment] = attachments.body["attachments"] as ReadonlyArray<Json>
  return {
    run_id: idOf(run),
    task_id: idOf(run),
    session_id: session,
    message_id: String(message["id"]),
    browser_id: browser,
    profile_id: profile,
    workspace_id: workspace,
    attachment_id: String(attachment?.["id"]),
    webhook_id: webhook,
    delivery_id: delivery,
    schedule_id: schedule,
    file_id: String(upload?.["id"]),
    number: "1",
    name: "tenant-mine",
    node_id: "east"
  }
})

/** A session whose run is over. */
const session = Effect.fnUntraced(function* ({ ask }: Served) {
  const { body } = yield* ask("mine", "POST", "/api/v4/runs", { task: "Look [simulate steps=0 duration=1ms]" })
  yield* until(ask("mine", "GET", `/api/v4/runs/${idOf(body)}`), (read) => read.body["status"] === "completed")
  return String(body["sessionId"])
})

type Belongings = Effect.Success<ReturnType<typeof belongings>>

const pathWith = ({ path }: Operation, ids: Belongings) =>
  path.replaceAll(/:(\w+)/gu, (parameter, name: string) => (ids as Readonly<Record<string, string>>)[name] ?? parameter)

/** The parts of a response that only the owner may see; `sent` is known to the caller anyway. */
const traces = (text: string, ids: Belongings, sent = ""): ReadonlyArray<string> =>
  [secret, "tenant-mine", ...Object.values(ids)].filter(
    (trace) => trace.length > 8 && text.includes(trace) && !sent.includes(trace)
  )

const textOf = (body: Json) => JSON.stringify(body)

/** The records as their owner reads them, without links, whose tokens differ each time, times of use, and positions. */
const read = Effect.fnUntraced(function* ({ ask, operations }: Served, ids: Belongings) {
  const records: Record<string, string> = {}
  for (const operation of operations) {
    // an archive has the time of its making
    const isLeftOut = operation.needsAdmin || operation.path.endsWith(".zip")
    if (operation.method !== "GET" || !isOfRecord(operation) || isLeftOut) continue
    const { body, status } = yield* ask("mine", "GET", pathWith(operation, ids))
    const text = textOf(body)
      .replaceAll(/https?:\/\/[^"]+/gu, "link")
      .replaceAll(/"(?:lastUsedAt|until|updatedAt|attempts|nextAttemptAt|error|nextAfter)":(?:"[^"]*"|\d+|null)/gu, "")
    records[`GET ${operation.path}`] = `${status} ${text}`
  }
  return records
})

/** The first moment of a stream of events. */
const streamed = (url: string, key: string, headers: Readonly<Record<string, string>>) =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      headers: { "x-service-api-key": key, accept: "text/event-stream", ...headers },
      signal: AbortSignal.timeout(1500)
    })
    let text = ""
    try {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString("utf8")
    } catch {
      // it has no end
    }
    return { status: response.status, text }
  })

describe("an API key's records", () => {
  it.live("can't be found or changed by another key, whichever operation names them", () =>
    Effect.gen(function* () {
      const server = yield* served
      const { ask, operations } = server
      const ids = yield* belongings(server)
      const before = yield* read(server, ids)
      assert.isAbove(Object.keys(before).length, 40)
      const wrong: Array<string> = []
      for (const operation of operations.filter(isOfRecord).toSorted((left, right) => order(left) - order(right))) {
        const { method, needsAdmin } = operation
        const path = pathWith(operation, ids)
        assert.notInclude(path, "/:", "a parameter that no record has")
        const query = method === "DELETE" && path.endsWith("/files") ? noFile : ""
        const { body, status } = yield* ask("theirs", method, `${path}${query}`, bodyOf(operation))
        const seen = traces(textOf(body), ids, path)
        if (status !== (needsAdmin ? 403 : 404) || seen.length > 0) {
          wrong.push(`${method} ${operation.path}: ${status} ${textOf(body)}`)
        }
      }
      assert.deepStrictEqual(wrong, [])
      assert.deepStrictEqual(yield* read(server, ids), before)

      // with its own key, each operation finds the same records: a wrong path would also be a 404
      const found = new Map<string, ReadonlyArray<number>>()
      for (const operation of operations.filter(isOfRecord).toSorted((left, right) => order(left) - order(right))) {
        const { method, needsAdmin, path } = operation
        if (needsAdmin) continue
        // each operation that deletes a session has one of its own
        const isLast = order(operation) === 3 && /:session_id(?:\/purge)?$/u.test(path)
        const own = isLast ? { ...ids, session_id: yield* session(server) } : ids
        const { status } = yield* ask("mine", method, pathWith(operation, own), bodyOf(operation))
        // a version deletes what another one finds no more
        const name = `${method} ${path.replace(/^\/api\/v\d/u, "")}`
        found.set(name, [...(found.get(name) ?? []), status])
      }
      const unfound = [...found].filter(([, statuses]) => statuses.every((status) => [403, 404, 405].includes(status)))
      assert.deepStrictEqual(
        unfound.map(([name]) => name),
        // simulated browsers have no pictures
        [`GET ${adminPath}/runs/:run_id/steps/:number/picture`]
      )
    })
  )

  it.live("are not in another key's lists, streams, searches or totals", () =>
    Effect.gen(function* () {
      const server = yield* served
      const { address, ask, keys, operations } = server
      const ids = yield* belongings(server)
      const wrong: Array<string> = []
      const look = Effect.fnUntraced(function* (path: string, forbidden: ReadonlyArray<number> = []) {
        const { body, status } = yield* ask("theirs", "GET", path)
        const seen = traces(textOf(body), ids, path)
        if (seen.length > 0 || (status !== 200 && !forbidden.includes(status)))
          wrong.push(`${path}: ${status} ${seen.join()}`)
      })
      const lists = operations.filter((operation) => operation.method === "GET" && !isOfRecord(operation))
      assert.isAbove(lists.length, 20)
      for (const { needsAdmin, path } of lists) yield* look(path, needsAdmin ? [403] : [])
      for (const query of [
        "runs?key=tenant-mine",
        `runs?search=${secret}`,
        "runs?waiting=true",
        `runs?session=${ids.session_id}`,
        "sessions?key=tenant-mine",
        "browsers?key=tenant-mine",
        "spend?key=tenant-mine",
        "audit?key=tenant-mine",
        `audit?target=${ids.run_id}`,
        `events/log?run=${ids.run_id}`,
        `profiles?search=${secret}`
      ]) {
        yield* look(`${adminPath}/${query}`, [422])
      }
      for (const path of [
        `/api/v4/runs?sessionId=${ids.session_id}`,
        `/api/v2/tasks?sessionId=${ids.session_id}`,
        `/api/v4/profiles?query=${secret}`
      ]) {
        yield* look(path)
      }
      assert.deepStrictEqual(wrong, [])
      // a page that continues a list of the owner
      for (const list of ["/api/v4/runs", `${adminPath}/events/log`]) {
        const { body } = yield* ask("mine", "GET", `${list}?limit=1`)
        const cursor = String(body["nextCursor"] ?? body["next"])
        assert.strictEqual((yield* ask("mine", "GET", `${list}?limit=1&cursor=${cursor}`)).status, 200, list)
        assert.strictEqual((yield* ask("theirs", "GET", `${list}?limit=1&cursor=${cursor}`)).status, 400, list)
      }
      // streams from their beginning
      const events = `${address}${adminPath}/events`
      for (const query of ["", `?run=${ids.run_id}`]) {
        const theirs = yield* streamed(`${events}${query}`, keys.theirs, { "last-event-id": "0" })
        assert.strictEqual(theirs.status, 200)
        assert.deepStrictEqual(traces(theirs.text, ids), [])
      }
      const mine = yield* streamed(events, keys.mine, { "last-event-id": "0" })
      assert.include(mine.text, ids.run_id)
      const ofRun = yield* streamed(`${address}/api/v4/runs/${ids.run_id}/events`, keys.theirs, {})
      assert.strictEqual(ofRun.status, 404)
    })
  )

  it.live("can't be used in another key's requests", () =>
    Effect.gen(function* () {
      const server = yield* served
      const { ask } = server
      const ids = yield* belongings(server)
      const before = yield* read(server, ids)
      const task = "theirs [simulate duration=10ms steps=0]"
      const ofProfile = { browserSettings: { profileId: ids.profile_id } }
      const ofFile = { attachedFileIds: [ids.file_id] }
      for (const [path, body, expected] of [
        ["/api/v4/runs", { task, sessionId: ids.session_id }, 404],
        ["/api/v4/runs", { task, workspaceId: ids.workspace_id }, 422],
        ["/api/v4/runs", { task, ...ofProfile }, 404],
        ["/api/v4/browsers", { profileId: ids.profile_id }, 404],
        ["/api/v3/browsers", { profileId: ids.profile_id }, 404],
        ["/api/v3/sessions", { task, sessionId: ids.session_id }, 404],
        ["/api/v3/sessions", { task, profileId: ids.profile_id }, 404],
        ["/api/v2/tasks", { task, sessionId: ids.session_id }, 404],
        [`${adminPath}/runs`, { task, ...ofProfile }, 404],
        [`${adminPath}/runs`, { task, ...ofFile }, 422],
        [`${adminPath}/runs`, { task, workspaceId: ids.workspace_id }, 422],
        [`${adminPath}/webhooks`, { url: "http://127.0.0.1:9/", everyKey: true }, 403]
      ] as const) {
        const { body: response, status } = yield* ask("theirs", "POST", path, body)
        assert.strictEqual(status, expected, `${path} ${textOf(body)}: ${textOf(response)}`)
        assert.deepStrictEqual(traces(textOf(response), ids, textOf(body)), [], path)
      }
      const attached = yield* ask("theirs", "POST", "/api/v4/runs", { task, ...ofFile })
      assert.deepInclude(attached.body, { attachedFileIds: [], missingFileIds: [ids.file_id] })
      // a run of a schedule has the rights of the schedule's key
      for (const fields of [ofProfile, ofFile, { workspaceId: ids.workspace_id }]) {
        const schedule = yield* ask("theirs", "POST", `${adminPath}/schedules`, {
          name: "theirs",
          cron: "0 6 1 1 *",
          run: { task, ...fields }
        })
        if (schedule.status !== 201) continue
        const { status } = yield* ask("theirs", "POST", `${adminPath}/schedules/${idOf(schedule.body)}/run`)
        assert.oneOf(status, [404, 422], textOf(fields))
      }
      for (const [path, id] of [
        ["runs/cancel", ids.run_id],
        ["runs/retry", ids.run_id],
        ["browsers/stop", ids.browser_id]
      ] as const) {
        const { body } = yield* ask("theirs", "POST", `${adminPath}/${path}`, { ids: [id] })
        assert.deepStrictEqual(body["notFound"], [id], path)
        assert.deepStrictEqual(Object.values(body).flat(), path === "runs/cancel" ? [id, null] : [id], path)
      }
      const all = yield* ask("theirs", "POST", `${adminPath}/runs/cancel`, { filter: { key: "tenant-mine" } })
      assert.notInclude(textOf(all.body), ids.run_id)
      // an idempotency key belongs to its API key
      const again = yield* ask("theirs", "POST", "/api/v4/runs", { task }, { "idempotency-key": secret })
      assert.strictEqual(again.status, 201)
      assert.isNull(again.headers.get("idempotency-replayed"))
      assert.notStrictEqual(idOf(again.body), ids.run_id)
      const hook = yield* ask("theirs", "POST", `${adminPath}/webhooks`, hookOf(secret), { "idempotency-key": secret })
      assert.strictEqual(hook.status, 201)
      assert.notStrictEqual(idOf(hook.body["webhook"] as Json), ids.webhook_id)
      assert.deepStrictEqual(yield* read(server, ids), before)
    })
  )
})
