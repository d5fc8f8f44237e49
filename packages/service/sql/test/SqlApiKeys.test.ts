import { assert, it } from "@effect/vitest"
import { ApiKeys } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { readFileSync } from "node:fs"
import { Database, SqlApiKeys } from "../src/index.ts"
import { apiKeysOver, unlimited } from "./apiKeys.ts"
import { file } from "./files.ts"
import { plansOf } from "./plans.ts"

apiKeysOver("SQLite", Layer.unwrap(Effect.map(file, (path) => Database.layer({ file: path }))))

const withKeys = <A, E>(use: (keys: ApiKeys["Service"], path: string) => Effect.Effect<A, E>) =>
  Effect.flatMap(file, (path) =>
    Effect.provide(
      ApiKeys.use((keys) => use(keys, path)),
      Layer.provide(SqlApiKeys.layer, Database.layer({ file: path }))
    )
  )

it.live("SqlApiKeys stores a key's secret neither in the file nor in its log", () =>
  withKeys((keys, path) =>
    Effect.gen(function* () {
      const { key, secret } = yield* keys.create({ name: "ci", scopes: ["read"], limits: unlimited })
      for (const part of [path, `${path}-wal`]) {
        assert.isFalse(readFileSync(part).includes(Redacted.value(secret).slice(key.prefix.length)), part)
      }
    })
  )
)

it.live("SqlApiKeys computes a key's usage by indexes, without reading finished runs", () =>
  withKeys((keys, path) =>
    Effect.gen(function* () {
      const plans = yield* plansOf(path, keys.usage("ci", 1))
      const steps = plans.flatMap((plan) => plan.steps).filter((step) => /turns|browsers/u.test(step))
      assert.deepStrictEqual(steps, [
        "SEARCH turns USING COVERING INDEX turns_owned (owner=? AND ended_at_ms=?)",
        "SEARCH browsers USING INDEX browsers_open (owner=?)",
        "SEARCH turns USING COVERING INDEX turns_owned (owner=? AND ended_at_ms=?)",
        "SEARCH turns USING COVERING INDEX turns_owned (owner=? AND ended_at_ms>?)"
      ])
    })
  )
)
