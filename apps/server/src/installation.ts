import { Installation } from "@webagent/server"
import { StoreUnavailable } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { ServedBrowsers } from "./browsers.ts"
import type { AgentOptions } from "./agent.ts"
import type { Data } from "./data.ts"
import { program } from "./program.ts"

/** Number of sessions and browsers of each node, by node id. */
export const heldBy = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly node: string; readonly sessions: number; readonly browsers: number }>`
    SELECT node, sum(sessions) AS sessions, sum(browsers) AS browsers FROM (
      SELECT lease_node AS node, 1 AS sessions, 0 AS browsers FROM sessions WHERE lease_node IS NOT NULL
      UNION ALL SELECT node, 0, 1 FROM browsers WHERE stopped_at_ms IS NULL AND node IS NOT NULL
    ) AS held GROUP BY node`
  return new Map(
    rows.map(({ browsers, node, sessions }) => [node, { sessions: Number(sessions), browsers: Number(browsers) }])
  )
})

/** Facts about this program, for the admin API. */
export const layerInstallation = ({
  agent,
  command,
  data,
  settings
}: {
  readonly agent: AgentOptions | undefined
  readonly command: string
  readonly data: Data
  readonly settings: Installation.InstallationService["settings"]
}) =>
  Layer.effect(
    Installation.Installation,
    Effect.gen(function* () {
      const { sentence } = yield* ServedBrowsers
      const context = yield* Effect.context<SqlClient.SqlClient>()
      return {
        data: data._tag === "File" ? "sqlite" : "postgres",
        browsers: sentence,
        model: agent === undefined ? null : `${agent.model.dialect}:${agent.model.model}`,
        program,
        command,
        has: [],
        settings,
        loads: heldBy.pipe(
          Effect.provide(context),
          Effect.mapError((cause) => new StoreUnavailable({ applied: "no", cause }))
        )
      }
    })
  )
