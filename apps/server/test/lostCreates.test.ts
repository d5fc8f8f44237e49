import { assert, describe, it } from "@effect/vitest"
import { AdminClient } from "@webagent/admin"
import { TestPostgres } from "@webagent/test-postgres"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { join } from "node:path"
import { node } from "./node.ts"
import { folder, send } from "./program.ts"
import { losing } from "./proxy.ts"

const kinds = {
  schedules: { name: "Prices", cron: "0 6 1 1 *", run: { task: "Find a red mug" } },
  webhooks: { url: "https://app.example/hooks", events: ["run.completed"] }
} as const

const adminOf = (at: string) => at.replace("/api/v4", "/admin/v1")

const create = (at: string, kind: keyof typeof kinds, fields: object = {}) =>
  send(adminOf(at), "K", "POST", `/${kind}`, { ...kinds[kind], ...fields }, { "idempotency-key": `one of ${kind}` })

/** Creates through a proxy that loses the response, then checks that a repeat at another server finds the record. */
const createLost = (kind: keyof typeof kinds, first: string, second: Effect.Effect<string>) =>
  Effect.gen(function* () {
    const proxy = yield* losing(first.replace("/api/v4", ""))
    const lost = yield* Effect.exit(create(`${proxy.address}/api/v4`, kind))
    assert.deepStrictEqual([lost._tag, proxy.statuses], ["Failure", [201]])
    const at = yield* second
    const found = yield* create(at, kind)
    assert.deepStrictEqual([found.status, found.headers.get("idempotency-replayed")], [201, "true"])
    // with the secret of a webhook
    assert.deepStrictEqual((yield* create(at, kind)).body, found.body)
    const { id } = (found.body["webhook"] ?? found.body) as { readonly id: string }
    const listed = yield* send(adminOf(at), "K", "GET", `/${kind}`)
    const ids = (JSON.parse(String(listed.body["text"])) as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)
    assert.deepStrictEqual(ids, [id])
    const other = yield* create(at, kind, kind === "webhooks" ? { description: "Other" } : { name: "Other" })
    assert.strictEqual(other.status, 422)
    assert.nestedPropertyVal(other.body, "detail[0].loc[1]", "Idempotency-Key")
    return id
  })

describe("a create whose response is lost", () => {
  for (const kind of ["schedules", "webhooks"] as const) {
    it.live(`returns the created ${kind} for its key on another node`, () =>
      Effect.gen(function* () {
        const { database } = yield* TestPostgres
        const data = yield* database
        const [east, west] = [yield* node(data, "east"), yield* node(data, "west")]
        const id = yield* createLost(kind, east.at, Effect.succeed(west.at))
        // both nodes get the same new key at once
        const twins = yield* Effect.forEach(
          [east, west, east, west],
          ({ at }) => send(adminOf(at), "K", "POST", `/${kind}`, kinds[kind], { "idempotency-key": "two" }),
          { concurrency: 4 }
        )
        assert.deepStrictEqual(
          twins.map(({ status }) => status),
          [201, 201, 201, 201]
        )
        assert.lengthOf(new Set(twins.map(({ body }) => JSON.stringify(body))), 1)
        assert.lengthOf(
          twins.filter(({ headers }) => headers.get("idempotency-replayed") === null),
          1
        )
        // a record that was deleted isn't created again
        assert.strictEqual((yield* send(adminOf(west.at), "K", "DELETE", `/${kind}/${id}`)).status, 204)
        assert.strictEqual((yield* create(east.at, kind)).headers.get("idempotency-replayed"), "true")
      }).pipe(Effect.provide(TestPostgres.layer))
    )

    it.live(`returns the created ${kind} for its key after a restart`, () =>
      Effect.gen(function* () {
        const file = join(yield* folder, "server.db")
        const first = yield* node(file, "east")
        const restarted = Effect.andThen(first.close, node(file, "east"))
        yield* createLost(kind, first.at, Effect.map(restarted, ({ at }) => at) as Effect.Effect<string>)
      })
    )
  }

  it.live("rotates the secret of a webhook once per key, on any node", () =>
    Effect.gen(function* () {
      const { database } = yield* TestPostgres
      const data = yield* database
      const nodes = [yield* node(data, "east"), yield* node(data, "west")]
      const { body } = yield* create(nodes[0]?.at ?? "", "webhooks")
      const { id } = body["webhook"] as { readonly id: string }
      const rotate =
        (key: string) =>
        ({ at }: { readonly at: string }) =>
          send(adminOf(at), "K", "POST", `/webhooks/${id}/rotate`, undefined, { "idempotency-key": key })
      const twins = yield* Effect.forEach([...nodes, ...nodes], rotate("one"), { concurrency: 4 })
      const secrets = new Set(twins.map(({ body }) => body["secret"]))
      assert.lengthOf(secrets, 1)
      assert.isFalse(secrets.has(body["secret"]))
      assert.lengthOf(
        twins.filter(({ headers }) => headers.get("idempotency-replayed") === null),
        1
      )
      const next = yield* Effect.forEach(nodes, rotate("two"))
      assert.lengthOf(new Set([...secrets, ...next.map(({ body }) => body["secret"])]), 2)
    }).pipe(Effect.provide(TestPostgres.layer))
  )

  it.live("is retried by the admin client with the same key", () =>
    Effect.gen(function* () {
      const { at } = yield* node(join(yield* folder, "server.db"), "east")
      const { address } = yield* losing(at.replace("/api/v4", ""))
      const createAt = (baseUrl: string) =>
        Effect.flatMap(AdminClient.make({ baseUrl, apiKey: "K" }), ({ webhooks }) =>
          Effect.andThen(
            Effect.ignore(webhooks.create({ payload: kinds.webhooks })),
            webhooks.create({ payload: kinds.webhooks }).pipe(AdminClient.withIdempotencyKey("hooks"))
          )
        ).pipe(Effect.provide(FetchHttpClient.layer))
      assert.strictEqual((yield* Effect.flip(createAt(address)))._tag, "HttpClientError")
      yield* createAt(at.replace("/api/v4", ""))
      // two without a key, and one with it
      const listed = yield* send(adminOf(at), "K", "GET", "/webhooks")
      assert.lengthOf(JSON.parse(String(listed.body["text"])) as ReadonlyArray<unknown>, 3)
    })
  )
})
