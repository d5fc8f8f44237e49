import { type IdSource, TimeOrderedIds } from "@webagent/engine"
import { schedulesContract } from "@webagent/store-contract/Schedules"
import { webhooksContract } from "@webagent/store-contract/Webhooks"
import * as Layer from "effect/Layer"
import type * as SqlClient from "effect/sql/SqlClient"
import { SqlSchedules, SqlWebhooks } from "../src/index.ts"

/** Tests the webhooks and schedules of a database. */
export const webhooksOver = <E>(name: string, database: Layer.Layer<SqlClient.SqlClient, E>): void => {
  const over = (layer: Layer.Layer<never, never, SqlClient.SqlClient | IdSource>) =>
    Layer.orDie(Layer.provide(Layer.provide(layer, TimeOrderedIds.layer), database))
  webhooksContract(`SqlWebhooks over ${name}`, over(SqlWebhooks.layer))
  schedulesContract(`SqlSchedules over ${name}`, over(SqlSchedules.layer))
}
