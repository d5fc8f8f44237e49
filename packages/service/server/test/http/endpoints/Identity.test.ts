import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Server } from "../../../src/Server.ts"
import { version } from "../../../src/http/endpoints/Version.ts"
import { send } from "../send.ts"
import { layerTest } from "../served.ts"

layer(layerTest, { excludeTestServices: true })("Identity", (it) => {
  it.effect("/ names the server and its addresses, without a key", () =>
    Effect.gen(function* () {
      const { address } = yield* Server
      const { body, status } = yield* send("GET", "/", { key: null })
      const at = (name: string) => ({
        baseUrl: `${address}/api/${name}`,
        openapi: `${address}/api/${name}/openapi.json`,
        docs: `${address}/api/${name}/docs`
      })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(body, {
        name: "webagent-server",
        version,
        of: "a test",
        versions: { v2: at("v2"), v3: at("v3"), v4: at("v4") }
      })
    })
  )
})
