import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Context from "effect/Context"
import { ScriptedServer } from "../src/ScriptedServer.ts"

const send = (address: string, body: string) =>
  Effect.promise(() => fetch(`${address}/runs?a=1`, { method: "POST", headers: { "x-a": "1" }, body }))

describe("ScriptedServer", () => {
  it.live("responds as scripted, and stores the requests", () =>
    Effect.gen(function* () {
      const server = yield* ScriptedServer
      assert.strictEqual((yield* send(server.address, "")).status, 500)
      server.script = ({ body }, count) => ({ status: 201, headers: { "x-b": "2" }, json: [body, count] })
      const response = yield* send(server.address, "é")
      assert.deepStrictEqual([response.status, response.headers.get("x-b")], [201, "2"])
      assert.deepStrictEqual(yield* Effect.promise(() => response.json()), ["é", 2])
      const [, received] = server.requests
      assert.deepStrictEqual(
        [received?.method, received?.url, received?.headers["x-a"], received?.body],
        ["POST", "/runs?a=1", "1", "é"]
      )
    }).pipe(Effect.provide(ScriptedServer.layer))
  )

  it.live("closes open connections when it is closed", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const server = Context.get(yield* Layer.buildWithScope(ScriptedServer.layer, scope), ScriptedServer)
      const cut = yield* Effect.callback<unknown>((resume) => {
        server.script = () => () => void Effect.runFork(Scope.close(scope, Exit.void))
        fetch(server.address).catch((error: unknown) => resume(Effect.succeed(error)))
      })
      assert.instanceOf(cut, TypeError)
    })
  )
})
