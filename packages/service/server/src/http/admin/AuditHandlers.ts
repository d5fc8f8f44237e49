import { fromMillis } from "@webagent/contract"
import { AuditLog, type AuditFilter } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Audit from "../../api/Audit.ts"
import { Caller } from "../../api/Caller.ts"
import { group } from "./Operations.ts"
import * as Pages from "./Pages.ts"

/** The audit log. A key without the scope `admin` sees its own changes. */
export const layer = group("audit", function* (handlers) {
  const log = yield* AuditLog
  return handlers
    .handle("list", ({ query: { action, cursor, from, key, limit, target, to } }) =>
      Effect.gen(function* () {
        const { isAdmin, name } = yield* Caller
        const named = isAdmin ? key : name
        const filter: AuditFilter = {
          ...(yield* Pages.createdBetween({ from, to })),
          ...(named === undefined ? {} : { key: named }),
          ...(action === undefined ? {} : { action }),
          ...(target === undefined ? {} : { target })
        }
        return yield* Pages.read(
          { list: "admin.audit", filter: { ...filter }, cursor, limit },
          (after, rows) =>
            Effect.map(log?.list(filter, after?.n ?? null, rows + 1) ?? Effect.succeed([]), (entries) => {
              const page = entries.slice(0, rows)
              const last = page.at(-1)
              const hasMore = entries.length > rows && last !== undefined
              return { rows: page, next: hasMore ? { at_ms: last.at_ms, n: last.id } : null }
            }),
          ({ at_ms, ...entry }) => ({ ...entry, at: fromMillis(at_ms) })
        )
      })
    )
    .handleAll({ export: ({ payload: { count, list } }) => Audit.note([list], count) })
})
