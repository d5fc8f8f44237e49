import { assert, layer } from "@effect/vitest"
import * as Wire from "@webagent/contract/Wire"
import { SimulatedService } from "@webagent/simulation"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { hasUuid, operations } from "./Operation.ts"
import { declaredBy, tooLong, unknownId, walker } from "./Walker.ts"

type Json = Readonly<Record<string, unknown>>

const extensions = operations.filter(({ isExtension }) => isExtension)

/** Operations with a query that a server checks. */
const queried: Readonly<Record<string, string>> = {
  "v2.listTasks": "?pageSize=0",
  "v2.listSessions": "?pageNumber=0",
  "v2.listBrowsers": "?pageSize=0",
  "v2.listDownloads": "?limit=0",
  "v2.listProfiles": "?pageSize=0",
  "v3.listSessions": "?page_size=101",
  "v3.listMessages": "?limit=0",
  "v3.listBrowsers": "?pageSize=0",
  "v3.listDownloads": "?limit=0",
  "v3.listProfiles": "?page=0",
  "v3.listWorkspaces": "?pageSize=0",
  "v3.listFiles": "?limit=0",
  "v3.deleteFile": "",
  "v4.listRuns": "?limit=101",
  "v4.listEvents": "?after=-1",
  "v4.listSessions": "?limit=x",
  "v4.listBrowsers": "?pageNumber=1.0",
  "v4.listDownloads": "?limit=0",
  "v4.listProfiles": "?pageSize=0",
  "v4.listFiles": "?limit=0",
  "v4.deleteFile": ""
}

/** Lists that continue at a cursor. */
const continued = operations.filter(({ answers, isExtension }) => isExtension && answers.has(400))

/** A session of a simulated agent is done as soon as it's stopped. */
const deletes = ["v2.deleteSession", "v2.purgeSession", "v3.deleteSession", "v4.purgeSession"]

/** Statuses that no request gets: nothing to refuse in a path with any text as its id, without a query and a body. */
const isUnreachable = (name: string, status: number) => {
  const operation = extensions.find((operation) => operation.name === name)
  if (operation?.payload === undefined && status === 413) return true
  if (status === 409) return deletes.includes(name)
  const isUuid = operation !== undefined && hasUuid(operation)
  return status === 422 && operation?.payload === undefined && !isUuid && !(name in queried)
}

const server = Layer.orDie(SimulatedService.layer({ turnDuration: "5 millis", time: { mode: "manual" } }))

layer(server, { excludeTestServices: true })(
  "a walk through the operations that the description doesn't show",
  (it) => {
    it.effect("covers every operation with every status, messages in every state, and lists to their end", () =>
      Effect.gen(function* () {
        const { address, ask, control, seen } = yield* walker
        const messages = new Set<unknown>()
        const events = new Set<unknown>()

        const list = (body: Json, name: string) => body[name] as ReadonlyArray<Json>
        const create = Effect.fnUntraced(function* (task: string, more: Json = {}) {
          const run = yield* ask("v4.createRun", "", { task, ...more })
          return { run: String(run["id"]), session: String(run["sessionId"]) }
        })
        const until = Effect.fnUntraced(function* (run: string, expected: string) {
          for (let status = ""; status !== expected;) {
            yield* control.advance("1 millis")
            status = String((yield* ask("v4.getRunStatus", run))["status"])
            const isOver = Wire.terminalRunStatuses.some((one) => one === status)
            assert.isFalse(isOver && status !== expected, `run ${run} is ${status}, not ${expected}`)
          }
        })
        const note = Effect.fnUntraced(function* (session: string, id: unknown) {
          messages.add((yield* ask("v4.getMessage", [session, String(id)]))["status"])
        })
        /** Reads a list to its end, one record per page, and gives the ids. */
        const walk = Effect.fnUntraced(function* (name: string, id: string, field: string, key: string) {
          const ids: Array<unknown> = []
          let query = "?limit=1"
          for (let page = 0; page < 200; page++) {
            const body = yield* ask(name, id, undefined, undefined, query)
            ids.push(...list(body, field).map((one) => one[key]))
            if (body["hasMore"] !== true) return ids
            query = `?limit=1&${"nextAfter" in body ? "after" : "cursor"}=${String(body["nextAfter"] ?? body["nextCursor"])}`
          }
          return assert.fail(`${name} has no end`)
        })

        // messages behind a run: pending, removed, begun, and those that a cancelled session leaves
        const busy = yield* create("[simulate duration=1h keepAlive=true]")
        const queue = (text: string, interrupt = false) => ask("v4.queueMessage", busy.session, { text, interrupt })
        const first = yield* queue("[simulate duration=20ms]")
        yield* note(busy.session, first["id"])
        const second = yield* queue("not now")
        const pending = list(yield* ask("v4.listMessages", busy.session), "queue")
        assert.deepStrictEqual(
          pending.map(({ id, text }) => [id, text]),
          [first, second].map(({ id, text }) => [id, text])
        )
        yield* ask("v4.removeMessage", [busy.session, String(second["id"])])
        yield* note(busy.session, second["id"])
        assert.lengthOf(list(yield* ask("v4.listMessages", busy.session), "queue"), 1)
        assert.deepInclude(yield* ask("v4.cancelRun", busy.run), { id: busy.run, status: "cancelled" })
        while ((yield* ask("v4.getRunStatus", String(first["runId"])))["status"] !== "completed") {
          yield* note(busy.session, first["id"])
          yield* control.advance("1 millis")
        }
        yield* ask("v4.removeMessage", [busy.session, String(first["id"])])
        assert.deepInclude(yield* ask("v4.cancelRun", busy.run), { id: busy.run, status: "cancelled" })
        const failing = yield* create("[simulate outcome=failed steps=2]", { sessionId: busy.session })
        yield* until(failing.run, "failed")

        // events of runs that ended in each way, and of one whose browser was driven
        const finished = yield* create("[simulate output=1 steps=3]")
        yield* until(finished.run, "completed")
        for (const run of [busy.run, failing.run, finished.run]) {
          const all = yield* ask("v4.listEvents", run)
          for (const { type } of list(all, "events")) events.add(type)
          assert.deepStrictEqual(
            yield* walk("v4.listEvents", run, "events", "id"),
            list(all, "events").map(({ id }) => id)
          )
          yield* ask("v4.listAttachments", run)
        }

        // v2's tasks and sessions
        yield* ask("v4.getSession", finished.session)
        const { id: session } = yield* ask("v2.createSession", "", { keepAlive: true })
        const task = yield* ask("v2.createTask", "", { task: "[simulate duration=1h]", sessionId: session })
        for (const name of ["v2.getTask", "v2.getTaskStatus"]) yield* ask(name, String(task["id"]))
        yield* ask("v2.shareSession", String(session))
        yield* ask("v2.getShare", String(session))
        yield* ask("v2.unshareSession", String(session))
        yield* ask("v2.getShare", String(session))
        yield* ask("v2.updateTask", String(task["id"]), { action: "stop" })
        yield* ask("v2.updateSession", String(session), { action: "stop" })
        yield* ask("v2.createTask", "", { task: "t", sessionId: session })
        yield* ask("v2.createTask", "", { task: "t", sessionId: unknownId })

        // v3's sessions
        const kept = yield* ask("v3.createSession", "", { task: "[simulate duration=1h]" })
        yield* ask("v3.stopSession", String(kept["id"]), { strategy: "task" })
        yield* ask("v3.listMessages", String(kept["id"]))
        yield* ask("v3.deleteWorkspace", String((yield* ask("v3.createWorkspace", "", {}))["id"]))

        // files, profiles and the account
        for (const version of ["v3", "v4"]) {
          const workspace = String((yield* ask(`${version}.createWorkspace`, "", { name: "Data" }))["id"])
          yield* ask(`${version}.getWorkspace`, workspace)
          yield* ask(`${version}.updateWorkspace`, workspace, { name: null })
          yield* ask(`${version}.getWorkspaceSize`, workspace)
          yield* ask(`${version}.listFiles`, workspace)
          const announced = { files: [{ name: "a.txt", size: 2 }] }
          const [upload] = list(yield* ask(`${version}.uploadFiles`, workspace, announced), "files")
          const { pathname, search } = new URL(String(upload?.["uploadUrl"]))
          yield* Effect.promise(() => fetch(`${address}${pathname}${search}`, { method: "PUT", body: "hi" }))
          const remove = ask(`${version}.deleteFile`, workspace, undefined, undefined, "?path=a.txt")
          yield* remove
          // in v4, a delete archives a workspace
          yield* ask("v4.deleteWorkspace", workspace)
          yield* ask(`${version}.uploadFiles`, workspace, announced)
          yield* remove
        }
        for (const version of ["v2", "v3", "v4"]) {
          const profile = String((yield* ask(`${version}.createProfile`, "", {}))["id"])
          yield* ask(`${version}.getProfile`, profile)
          yield* ask(`${version}.updateProfile`, profile, { name: "Work" })
          yield* ask(`${version}.deleteProfile`, profile)
          yield* ask(`${version}.getAccount`, "")
        }
        yield* ask("v2.createBrowser", "", {})
        const browser = String((yield* ask("v3.createBrowser", "", {}))["id"])
        for (const version of ["v2", "v3", "v4"]) {
          yield* ask(`${version}.getBrowser`, browser)
          yield* ask(`${version}.listDownloads`, browser)
          if (version !== "v4") yield* ask(`${version}.updateBrowser`, browser, { action: "stop" })
        }

        // a walk over a list has each record once, and in one order
        const runs = yield* walk("v4.listRuns", "", "runs", "id")
        assert.sameMembers(runs, [...new Set(runs)])
        assert.includeMembers(runs, [busy.run, failing.run, finished.run, first["runId"]])
        const sessions = yield* walk("v4.listSessions", "", "sessions", "sessionId")
        assert.sameMembers(sessions, [...new Set(sessions)])
        assert.includeMembers(sessions, [busy.session, finished.session, kept["id"]])
        for (const [name, field] of [
          ["v2.listTasks", "items"],
          ["v2.listSessions", "items"],
          ["v3.listSessions", "sessions"],
          ["v2.listBrowsers", "items"],
          ["v2.listProfiles", "items"],
          ["v3.listBrowsers", "items"],
          ["v4.listBrowsers", "items"],
          ["v3.listProfiles", "items"],
          ["v4.listProfiles", "items"],
          ["v3.listWorkspaces", "items"]
        ] as const) {
          const body = yield* ask(name, "")
          assert.lengthOf(list(body, field), Number(body["totalItems"] ?? body["total"]), name)
        }

        // every refusal of every operation
        for (const operation of extensions) {
          const { method, name, path, payload } = operation
          const fits = payload === undefined ? undefined : { task: "t", action: "stop", files: [{ name: "a" }] }
          if (method !== "POST" || path.includes("{")) {
            const query = name.endsWith("deleteFile") ? "?path=a" : ""
            yield* ask(name, unknownId, fits, undefined, query)
          }
          yield* ask(name, unknownId, fits, "wak_wrong")
          if (payload !== undefined) {
            yield* ask(name, unknownId, "{")
            yield* ask(name, unknownId, tooLong)
          } else if (hasUuid(operation)) yield* ask(name, "no-uuid")
          const wrong = queried[name]
          if (wrong !== undefined) yield* ask(name, unknownId, undefined, undefined, wrong)
        }
        for (const { name, path } of continued) {
          const parameter = name === "v3.listMessages" ? "after" : "cursor"
          const id = path.includes("{session_id}") ? String(kept["id"]) : browser
          const workspace = String((yield* ask("v4.createWorkspace", "", {}))["id"])
          yield* ask(name, path.includes("{workspace_id}") ? workspace : id, undefined, undefined, `?${parameter}=x`)
        }

        // deletes, in each version
        for (const [name, stop] of [
          ["v2.deleteSession", "v2.updateSession"],
          ["v2.purgeSession", "v2.updateSession"],
          ["v3.deleteSession", "v3.stopSession"],
          ["v4.purgeSession", "v3.stopSession"]
        ] as const) {
          const { session } = yield* create("[simulate duration=1h]")
          yield* ask(stop, session, stop === "v2.updateSession" ? { action: "stop" } : {})
          yield* ask(name, session)
          yield* ask(name, session)
        }

        // as many profiles and workspaces as a key may have
        for (const [name, most] of [
          ["Profile", 100],
          ["Workspace", 1000]
        ] as const) {
          for (let count = 0; count < most && !seen.has(`v4.create${name} 409`); count++) {
            yield* ask(`v4.create${name}`, "", {})
          }
          const versions = name === "Profile" ? ["v2", "v3", "v4"] : ["v3", "v4"]
          for (const version of versions) yield* ask(`${version}.create${name}`, "", {})
        }

        const isExtension = (entry: string) => extensions.some(({ name }) => entry.startsWith(`${name} `))
        assert.sameMembers([...seen].filter(isExtension).toSorted(), declaredBy(extensions, isUnreachable).toSorted())
        assert.sameMembers([...messages], ["pending", "dispatching", "consumed", "cancelled"])
        // no person controls a simulated browser or answers its run, and no run waits for a browser
        const isSimulated = (type: string) => !/^run\.(?:control\.|browser\.|waiting|answered|unanswered)/u.test(type)
        assert.sameMembers([...events], Wire.runEventTypes.filter(isSimulated))
      })
    )
  }
)
