import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SimulatedService from "../../src/SimulatedService.ts"
import { SimulatedState } from "../../src/state/SimulatedState.ts"
import { send } from "../send.ts"

type Item = Readonly<Record<string, unknown>>

const upload = Effect.fnUntraced(function* (path: string, names: ReadonlyArray<string>) {
  const files = names.map((name) => ({ name, size: 3 }))
  const { body } = yield* send("POST", `${path}/files/upload`, { body: { files } })
  const targets = body["files"] as ReadonlyArray<Item>
  assert.strictEqual(new Set(targets.map(({ id }) => id)).size, names.length)
  for (const { uploadUrl } of targets) {
    const { pathname, search } = new URL(String(uploadUrl))
    assert.strictEqual((yield* send("PUT", `${pathname}${search}`, { key: null, text: "1,2" })).status, 200)
  }
})

describe("the files of a simulated service", () => {
  it.live("are in its snapshot, return when it is restored, and are deleted by a reset", () =>
    Effect.gen(function* () {
      const state = yield* SimulatedState
      const profile = yield* send("POST", "/api/v3/profiles", { body: { name: "Work" } })
      const workspace = yield* send("POST", "/api/v3/workspaces", { body: { name: "Data" } })
      const path = `/api/v3/workspaces/${String(workspace.body["id"])}`
      yield* upload(path, ["a.csv", "b.csv"])
      const snapshot: unknown = JSON.parse(JSON.stringify(yield* state.snapshot))
      yield* state.reset
      assert.strictEqual((yield* send("GET", path)).status, 404)
      assert.propertyVal((yield* send("GET", "/api/v3/profiles")).body, "totalItems", 0)
      yield* state.restore(snapshot)
      assert.deepStrictEqual((yield* send("GET", `/api/v3/profiles/${String(profile.body["id"])}`)).body, profile.body)
      assert.propertyVal((yield* send("GET", `${path}/size`)).body, "usedBytes", 6)
      const { body } = yield* send("GET", `${path}/files?includeUrls=true`)
      const { pathname, search } = new URL(String((body["files"] as ReadonlyArray<Item>)[1]?.["url"]))
      assert.strictEqual((yield* send("GET", `${pathname}${search}`, { key: null })).text, "1,2")
      // ids go on behind those of the snapshot
      const next = yield* send("POST", "/api/v3/workspaces", { body: { name: "Data" } })
      assert.notStrictEqual(next.body["id"], workspace.body["id"])
    }).pipe(Effect.provide(SimulatedService.layer()))
  )

  it.live("are subject to faults in the operations that the description doesn't show", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* send("GET", "/api/v3/sessions")).status, 503)
      assert.strictEqual((yield* send("GET", "/api/v3/sessions")).status, 200)
      assert.strictEqual((yield* send("GET", "/api/v2/tasks")).status, 418)
      const { body } = yield* send("POST", "/api/v3/workspaces")
      const path = `/api/v3/workspaces/${String(body["id"])}`
      assert.strictEqual((yield* send("GET", `${path}/files`)).status, 502)
    }).pipe(
      Effect.provide(
        SimulatedService.layer({
          faults: [
            { fault: { kind: "status" }, when: { operations: ["v3.listSessions"], attempts: [1] } },
            { fault: { kind: "status", status: 418 }, when: { operations: ["v2.listTasks"] } },
            { fault: { kind: "html-error" }, when: { operations: ["v3.listFiles"] } }
          ]
        })
      )
    )
  )
})
