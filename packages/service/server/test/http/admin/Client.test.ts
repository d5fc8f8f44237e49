import { assert, it } from "@effect/vitest"
import { NotFoundError, PromiseClient } from "@webagent/admin"
import * as Effect from "effect/Effect"
import { Server } from "../../../src/Server.ts"
import { layerAdmin } from "./served.ts"

it.live("a promise client starts, lists and cancels runs, and rejects with the error of an operation", () =>
  Effect.flatMap(Server, ({ address }) =>
    Effect.promise(async () => {
      const admin = await PromiseClient.make({ address: `${address}/`, key: "wak_root" })
      const { key, version } = await admin.server.get()
      assert.deepStrictEqual([key.admin, typeof version], [true, "string"])
      const run = await admin.runs.create({ payload: { task: "Find a mug" } })
      const { rows } = await admin.runs.list({ query: { key: run.owner ?? "" } })
      const ids = rows.map(({ id }) => id)
      assert.deepStrictEqual(ids, [run.id])
      const { already, cancelled } = await admin.runs.cancel({ payload: { ids } })
      assert.deepStrictEqual([...already, ...cancelled], [run.id])
      const error: unknown = await admin.runs.get({ params: { run_id: "unknown" } }).catch((error: unknown) => error)
      assert.instanceOf(error, NotFoundError)
    })
  ).pipe(Effect.provide(layerAdmin()))
)
