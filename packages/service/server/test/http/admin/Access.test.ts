import { AdminApi, NeedsAdmin } from "@webagent/admin"
import { assert, describe, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as HttpApi from "effect/http-api/HttpApi"
import { reflect } from "effect/http-api/HttpApi"
import { Served } from "../../../src/http/admin/Admin.ts"
import { ask, layerAdmin } from "./served.ts"

interface Found {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly needsAdmin: boolean
}

const operationsOf = (api: unknown) => {
  const all: Array<Found> = []
  reflect(api as HttpApi.Top, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, group }) =>
      void all.push({
        name: `${group.identifier}.${endpoint.identifier}`,
        method: endpoint.method,
        path: endpoint.path.replace("/admin/v1", ""),
        needsAdmin: Context.get(endpoint.annotations, NeedsAdmin)
      })
  })
  return all
}

const served = operationsOf(Served)

layer(layerAdmin(), { excludeTestServices: true })("Access to the admin API", (it) => {
  it.effect("serves operations of the contract only", () =>
    Effect.sync(() => {
      const known = operationsOf(AdminApi).map(({ name }) => name)
      assert.includeMembers(
        known,
        served.map(({ name }) => name)
      )
    })
  )

  describe("gives a key without the scope admin a 403 or its own records", () => {
    for (const { method, name, needsAdmin, path } of served) {
      // the stream of events has no end; the test of events reads what each key gets
      if (name !== "events.stream")
        it.effect(name, () =>
          Effect.gen(function* () {
            const place = path.replaceAll(/:\w+/gu, "unknown")
            const body = method === "GET" || method === "DELETE" ? undefined : {}
            const answer = yield* ask("shop", method, place, body)
            if (needsAdmin) {
              assert.deepStrictEqual(
                [answer.status, answer.body],
                [403, { detail: "This operation needs an API key with the scope admin" }]
              )
              assert.notStrictEqual((yield* ask("root", method, place, body)).status, 403)
            } else assert.notInclude(answer.text, "root")
          })
        )

      it.effect(`${name}, but an unknown key gets nothing`, () =>
        Effect.gen(function* () {
          const answer = yield* ask("unlisted", method, path.replaceAll(/:\w+/gu, "unknown"))
          assert.oneOf(answer.status, [401, 429])
        })
      )

      if (method !== "GET") {
        it.effect(`${name}, but a read-only key gets nothing`, () =>
          Effect.gen(function* () {
            const answer = yield* ask("reader", method, path.replaceAll(/:\w+/gu, "unknown"), {})
            // who may read may note that it saved what it read
            assert.strictEqual(answer.status, name === "audit.export" ? 422 : 403)
          })
        )
      }
    }
  })
})
