import type { RunFilters } from "@webagent/admin"
import type { TurnFilter } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { createdBetween } from "./Pages.ts"

type Filters = Omit<RunFilters, "minUsd"> & { readonly minUsd?: number }

/** An amount of a query as a decimal: JSON and queries write small numbers with an exponent. */
const decimalOf = (amount: number): string => amount.toFixed(9).replace(/\.?0+$/u, "")

/** The filter of the engine's lists for that of a request. */
export const of = (filters: Filters) =>
  Effect.map(createdBetween(filters), (created): TurnFilter => {
    const { failure, key, minUsd, model, node, search, session, status, tag, waiting } = filters
    return {
      ...created,
      ...(status === undefined ? {} : { statuses: [status] }),
      ...(key === undefined ? {} : { owner: key }),
      ...(session === undefined ? {} : { sessionId: session.toLowerCase() }),
      ...(model === undefined ? {} : { model }),
      ...(node === undefined ? {} : { node }),
      ...(waiting === undefined ? {} : { waiting: true }),
      ...(tag === undefined ? {} : { tag }),
      ...(failure === undefined ? {} : { failure }),
      ...(search === undefined ? {} : { text: search }),
      ...(minUsd === undefined ? {} : { minCost: decimalOf(minUsd) })
    }
  })
