import type { Node, Store } from "@webagent/engine"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type * as Statement from "effect/sql/Statement"
import { parsed } from "./Rows.ts"
import { changed } from "./statements.ts"
import { read, unavailable } from "./unavailable.ts"

/** The operations of a store on nodes and their leases. */
export type NodeLeases = Pick<Store["Service"], "renew" | "nodes" | "silent" | "node" | "drain" | "leave" | "isLost">

/** Time that the store remembers a node after its lease expired. */
const keepNodes_ms = 86_400_000

/** Makes the operations; `now` is the time of the database. */
export const make = (sql: SqlClient.SqlClient, now: Effect.Effect<Statement.Fragment>): NodeLeases => {
  const readNow = <A>(use: (now_ms: Statement.Fragment) => Effect.Effect<A, SqlError>) => read(Effect.flatMap(now, use))
  const writeNow = <A>(use: (now_ms: Statement.Fragment) => Effect.Effect<A, SqlError>) =>
    Effect.mapError(Effect.flatMap(now, use), unavailable)

  const nodeOf = ({ draining, record }: Readonly<Record<string, unknown>>): Node => ({
    ...parsed<Node>(record),
    draining: Number(draining) === 1
  })

  /** The nodes that fit, by id. One that left before it renewed has no record. */
  const nodesWhere = (fit: (now_ms: Statement.Fragment) => Statement.Fragment) =>
    readNow((now_ms) =>
      Effect.map(
        sql`SELECT draining, record FROM nodes WHERE ${fit(now_ms)} AND record IS NOT NULL ORDER BY id`,
        Arr.map(nodeOf)
      )
    )

  return {
    renew: (node, ttl_ms, isKnown = false) =>
      writeNow((now_ms) =>
        isKnown
          ? changed(
              sql`UPDATE nodes SET until_ms = ${now_ms} + ${ttl_ms}, record = ${JSON.stringify(node)},
                draining = draining | ${node.draining ? 1 : 0} WHERE id = ${node.id} AND lost = 0 RETURNING id`
            )
          : Effect.andThen(
              sql`DELETE FROM nodes WHERE until_ms < ${now_ms} - ${keepNodes_ms}`,
              changed(
                sql`INSERT INTO nodes (id, until_ms, draining, record)
                  VALUES (${node.id}, ${now_ms} + ${ttl_ms}, ${node.draining ? 1 : 0}, ${JSON.stringify(node)})
                  ON CONFLICT (id) DO UPDATE SET until_ms = excluded.until_ms, record = excluded.record,
                    draining = nodes.draining | excluded.draining WHERE nodes.lost = 0 RETURNING id`
              )
            )
      ),
    nodes: nodesWhere((now_ms) => sql`until_ms > ${now_ms}`),
    silent: nodesWhere((now_ms) => sql`until_ms <= ${now_ms} AND lost = 0`),
    node: (id) =>
      Effect.map(
        nodesWhere((now_ms) => sql`id = ${id} AND until_ms > ${now_ms}`),
        Arr.head
      ),
    drain: (node, isDraining = true) =>
      writeNow((now_ms) =>
        changed(
          sql`UPDATE nodes SET draining = ${isDraining ? 1 : 0} WHERE id = ${node} AND until_ms > ${now_ms} AND record IS NOT NULL
            RETURNING id`
        )
      ),
    leave: (node) =>
      writeNow((now_ms) =>
        Effect.asVoid(
          sql`INSERT INTO nodes (id, until_ms, lost) VALUES (${node}, ${now_ms}, 1)
            ON CONFLICT (id) DO UPDATE SET until_ms = excluded.until_ms, lost = 1`
        )
      ),
    isLost: (node) =>
      writeNow((now_ms) =>
        Effect.gen(function* () {
          const [known] = yield* sql`SELECT lost, until_ms > ${now_ms} AS lives FROM nodes WHERE id = ${node}`
          if (known === undefined || known["lost"] === 1) return true
          if (known["lives"]) return false
          // the node may renew its lease at this very moment
          return yield* changed(
            sql`UPDATE nodes SET lost = 1 WHERE id = ${node} AND until_ms <= ${now_ms} RETURNING id`
          )
        })
      )
  }
}
