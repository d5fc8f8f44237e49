import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Control } from "../../src/control/Control.ts"
import * as SimulatedService from "../../src/SimulatedService.ts"
import { send } from "../send.ts"

const served = Layer.orDie(SimulatedService.layer({ turnDuration: "5 millis" }))

const create = Effect.map(send("POST", "/console/api/runs", { key: null, body: { task: "x" } }), ({ body }) =>
  String(body["id"])
)

layer(served, { excludeTestServices: true })("the notes of a simulated service", (it) => {
  it.effect("a run's mark and link are stored, and the audit log has both changes", () =>
    Effect.gen(function* () {
      const id = yield* create
      const mark = yield* send("PUT", `/console/api/runs/${id}/mark`, { key: null, body: { verdict: "right" } })
      assert.deepStrictEqual([mark.status, mark.body["verdict"]], [200, "right"])
      const share = yield* send("POST", `/console/api/runs/${id}/share`, { key: null, body: {} })
      assert.strictEqual(share.status, 201)
      const { pathname, search } = new URL(String(share.body["url"]))
      const shared = yield* send("GET", `${pathname}${search}`, { key: null })
      assert.deepStrictEqual([shared.status, shared.body["simulated"]], [200, true])
      const { body } = yield* send("GET", "/console/api/audit", { key: null })
      const rows = body["rows"] as ReadonlyArray<{ readonly action: string }>
      assert.deepStrictEqual(
        rows.map(({ action }) => action),
        ["shares.create", "marks.set", "runs.create"]
      )
    })
  )

  it.effect("a reset deletes marks and links, because later runs may have the ids of earlier ones", () =>
    Effect.gen(function* () {
      const id = yield* create
      yield* send("PUT", `/console/api/runs/${id}/mark`, { key: null, body: { verdict: "wrong" } })
      yield* Control.use((control) => control.reset())
      const ids = yield* Effect.all([create, create])
      assert.include(ids, id)
      const run = yield* send("GET", `/console/api/runs/${id}`, { key: null })
      assert.strictEqual(run.body["mark"], null)
    })
  )
})
