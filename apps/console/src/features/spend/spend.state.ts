import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"
import { Console } from "../../state/client.ts"
import { settled } from "../../state/runs.ts"

/** Groupings of the cost. */
export const groupings = ["day", "key", "model", "run"] as const

export type Grouping = (typeof groupings)[number]

/** Reads the grouping of the page's address. */
export const groupingOf = (search: string): Grouping =>
  groupings.find((one) => one === new URLSearchParams(search).get("by")) ?? "day"

/** The cost of the last 30 days by day, key or model, or its costliest runs. */
export const spend = Atom.family((by: Grouping) =>
  Console.runtime.atom((get) => {
    get(settled("runs"))
    return Effect.flatMap(Console, (client) => client.spend.get({ query: { by } }))
  })
)
