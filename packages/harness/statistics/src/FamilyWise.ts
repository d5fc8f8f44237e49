/** A hypothesis that is looked at in one or more ways, each by a test whose p-value can only have these values. */
export interface Member {
  /** The least of its p-values. */
  readonly chance: number
  /** The p-values that each of its tests can have, ascending. */
  readonly attainable: ReadonlyArray<ReadonlyArray<number>>
}

/** The chance that a test says so little or less, if nothing has changed: its greatest p-value that is no greater. */
const sizeOf = (attainable: ReadonlyArray<number>, chance: number): number => {
  let [low, high] = [0, attainable.length]
  while (low < high) {
    const middle = (low + high) >> 1
    // what is equal may differ in its last digits
    if ((attainable[middle] ?? 1) <= chance * (1 + 1e-9)) low = middle + 1
    else high = middle
  }
  return low === 0 ? 0 : (attainable[low - 1] ?? 0)
}

/**
 * Holm for tests of counts, which seldom can say as little as one allows: the chance that any member of the family says
 * so little is summed up from what each can say, instead of taking each to be able to say anything (Tarone; Westfall and
 * Wolfinger). A scenario that has never failed costs the others nothing. Exact: no independence is needed.
 */
export const discrete = (members: ReadonlyArray<Member>): ReadonlyArray<number> => {
  const order = members
    .map((_, index) => index)
    .toSorted((a, b) => (members[a]?.chance ?? 1) - (members[b]?.chance ?? 1))
  const adjusted = members.map(() => 1)
  const left = new Set(order)
  let least = 0
  for (const index of order) {
    const chance = members[index]?.chance ?? 1
    let total = 0
    for (const other of left) {
      for (const attainable of members[other]?.attainable ?? []) total += sizeOf(attainable, chance)
      if (total >= 1) break
    }
    least = Math.max(least, Math.min(1, total))
    adjusted[index] = least
    left.delete(index)
    if (least >= 1) break
  }
  return adjusted
}

/** The greatest p-value at which the first member of a family is found, with a chance of `doubt` of a false positive. */
export const level = (members: ReadonlyArray<Member>, doubt: number): number => {
  const total = (chance: number) =>
    members.reduce((sum, { attainable }) => attainable.reduce((all, values) => all + sizeOf(values, chance), sum), 0)
  let [low, high] = [Math.log(1e-15), Math.log(doubt)]
  if (total(doubt) <= doubt) return doubt
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2
    if (total(Math.exp(middle)) <= doubt) low = middle
    else high = middle
  }
  return Math.exp(low)
}
