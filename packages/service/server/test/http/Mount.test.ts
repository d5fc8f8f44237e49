import { assert, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as LazyGroup from "../../src/api/LazyGroup.ts"
import * as Mount from "../../src/http/Mount.ts"

class Name extends Context.Service<Name, string>()("Name") {}

const Api = HttpApi.make("names").add(
  HttpApiGroup.make("names").add(HttpApiEndpoint.get("get", "/name", { success: Schema.String }))
)

const router = Mount.makeRouter([Api], ["/path"])

/** A server with a name, and the number of times that its handlers were made. */
const serverOf = Effect.fnUntraced(function* (name: string) {
  let made = 0
  const layer = LazyGroup.make(Api, "names", function* (handlers) {
    made++
    const own = yield* Name
    return handlers.handle("get", () => Effect.succeed(own))
  })
  const app = yield* Mount.mount(router, [Mount.handlers(Api, layer)], {
    "/path": () => Effect.map(Name, (own) => Effect.succeed(HttpServerResponse.text(`path of ${own}`)))
  }).pipe(Effect.provideService(Name, name))
  const get = (path: string) =>
    Effect.flatMap(
      Effect.scoped(
        Effect.provideService(
          app,
          HttpServerRequest.HttpServerRequest,
          HttpServerRequest.fromWeb(new Request(`http://localhost${path}`))
        )
      ),
      (response) => Effect.promise(() => HttpServerResponse.toWeb(response).text())
    )
  return { get, made: () => made }
})

it.effect("servers that share a router keep their own handlers and paths", () =>
  Effect.gen(function* () {
    const [first, second] = [yield* serverOf("first"), yield* serverOf("second")]
    for (let round = 0; round < 2; round++) {
      assert.strictEqual(yield* first.get("/name"), '"first"')
      assert.strictEqual(yield* second.get("/name"), '"second"')
      assert.strictEqual(yield* second.get("/path"), "path of second")
      assert.strictEqual(yield* first.get("/path"), "path of first")
    }
    assert.strictEqual(yield* first.get("/nothing"), '{"detail":"Not Found"}')
  })
)

it.effect("an API's handlers are made once, on its first request", () =>
  Effect.gen(function* () {
    const server = yield* serverOf("only")
    yield* server.get("/path")
    assert.strictEqual(server.made(), 0)
    const names = yield* Effect.all([server.get("/name"), server.get("/name")], { concurrency: "unbounded" })
    assert.deepStrictEqual(names, ['"only"', '"only"'])
    assert.strictEqual(server.made(), 1)
  })
)
