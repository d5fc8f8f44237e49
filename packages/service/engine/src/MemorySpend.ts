import * as Decimal from "./domain/Decimal.ts"
import { isTerminal, type Turn } from "./domain/Turn.ts"
import type { Spend, SpendFilter } from "./ports/Lists.ts"

const day_ms = 86_400_000

/** Cost by day, owner and model. */
export type Sums = Map<string, Spend>

const keyOf = ({ day_ms, model, owner }: Pick<Spend, "day_ms" | "model" | "owner">) =>
  JSON.stringify([day_ms, owner, model])

/** Adds a turn to the sums if it is finished. */
export const add = (sums: Sums, { cost, finishedAt_ms, model, owner, status, tokens }: Turn): void => {
  if (!isTerminal(status) || finishedAt_ms === null) return
  const of = { day_ms: Math.floor(finishedAt_ms / day_ms) * day_ms, owner, model }
  const sum = sums.get(keyOf(of))
  sums.set(keyOf(of), {
    ...of,
    turns: (sum?.turns ?? 0) + 1,
    cost: Decimal.add(sum?.cost ?? "0", cost ?? "0"),
    inputTokens: (sum?.inputTokens ?? 0) + (tokens?.input ?? 0),
    outputTokens: (sum?.outputTokens ?? 0) + (tokens?.output ?? 0)
  })
}

const order = (left: string | null, right: string | null) =>
  (left ?? "") < (right ?? "") ? -1 : left === right ? 0 : 1

/** Finished turns that cost something, the costliest first, and the newest first of those that cost the same. */
export const costliest = (
  turns: Iterable<Turn>,
  { from_ms, owner, to_ms }: SpendFilter,
  limit: number
): ReadonlyArray<Turn> =>
  [...turns]
    .toReversed()
    .flatMap((turn) => {
      const { cost, finishedAt_ms, status } = turn
      const isFinished = isTerminal(status) && finishedAt_ms !== null
      const fits = isFinished && finishedAt_ms >= from_ms && finishedAt_ms < to_ms
      return fits && (owner === undefined || turn.owner === owner) && cost !== null && Number(cost) > 0
        ? [{ turn, cost }]
        : []
    })
    .toSorted((left, right) =>
      Decimal.isMore(left.cost, right.cost) ? -1 : Number(Decimal.isMore(right.cost, left.cost))
    )
    .slice(0, limit)
    .map(({ turn }) => turn)

/** Adds up the cost of stored turns and of those that are gone. */
export const of = (turns: Iterable<Turn>, gone: Sums, { from_ms, owner, to_ms }: SpendFilter): ReadonlyArray<Spend> => {
  const sums: Sums = new Map(gone)
  for (const turn of turns) add(sums, turn)
  return [...sums.values()]
    .filter(
      (spend) =>
        spend.day_ms + day_ms > from_ms && spend.day_ms < to_ms && (owner === undefined || spend.owner === owner)
    )
    .toSorted(
      (left, right) => left.day_ms - right.day_ms || order(left.owner, right.owner) || order(left.model, right.model)
    )
}
