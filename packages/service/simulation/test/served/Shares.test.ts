import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Engine } from "@webagent/engine"
import { ApiKeyAuth, RequestValidation, Server } from "@webagent/server"
import { send } from "../send.ts"
import { SimulatedState } from "../../src/state/SimulatedState.ts"
import * as SimulatedService from "../../src/SimulatedService.ts"

const engine = SimulatedService.layerEngine({ turnDuration: "1 hour" })

const served = Layer.orDie(Server.layerWithAuth({ apiKeys: ["wak_test"] })).pipe(
  Layer.provide([ApiKeyAuth.layer(["wak_test"]), RequestValidation.layer]),
  Layer.provideMerge(engine)
)

layer(served, { excludeTestServices: true })("Shares", (it) => {
  it.effect("a shared session has a link that opens it without a key, and only that link does", () =>
    Effect.gen(function* () {
      const { body } = yield* send("POST", "/api/v3/sessions", { body: { task: "x" } })
      const id = String(body["id"])
      const view = yield* send("GET", `/api/v2/sessions/${id}`)
      assert.strictEqual(view.body["publicShareUrl"], null)
      yield* Engine.use((engine) => engine.shareSession(id))
      const shared = yield* send("GET", `/api/v2/sessions/${id}`)
      const { pathname, search } = new URL(String(shared.body["publicShareUrl"]))
      const page = yield* send("GET", `${pathname}${search}`, { key: null })
      assert.deepStrictEqual([page.status, page.body], [200, shared.body])
      for (const wrong of [pathname, `${pathname}?token=x`, `/share/unknown${search}`]) {
        const { body, status } = yield* send("GET", wrong, { key: null })
        assert.deepStrictEqual([status, body], [404, { detail: "Session not found" }])
      }
      assert.strictEqual((yield* send("DELETE", pathname)).headers.get("allow"), "GET, HEAD")
    })
  )

  it.effect("the link of an unshared session opens nothing", () =>
    Effect.gen(function* () {
      const { body } = yield* send("POST", "/api/v3/sessions", { body: { task: "x" } })
      const id = String(body["id"])
      yield* Engine.use((engine) => engine.shareSession(id))
      const shared = yield* send("GET", `/api/v2/sessions/${id}`)
      const { pathname, search } = new URL(String(shared.body["publicShareUrl"]))
      yield* SimulatedState.use((state) => state.reset)
      assert.strictEqual((yield* send("GET", `${pathname}${search}`, { key: null })).status, 404)
      // ids are counted from the start again, so these have the old ones
      for (let count = 0; count < 2; count++) yield* send("POST", "/api/v3/sessions", { body: { task: "x" } })
      assert.strictEqual((yield* send("GET", `/api/v3/sessions/${id}`)).status, 200)
      assert.strictEqual((yield* send("GET", `${pathname}${search}`, { key: null })).status, 404)
    })
  )
})
