/** Returns the number of letters to change, add, remove or swap with the next one to turn one word into the other. */
const distance = (from: string, to: string): number => {
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? Infinity
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    rows.push(current)
    for (let column = 1; column <= to.length; column++) {
      const changed = at(row - 1, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1)
      const isSwap = row > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const swapped = isSwap ? at(row - 2, column - 2) + 1 : Infinity
      current.push(Math.min(changed, swapped, at(row - 1, column) + 1, at(row, column - 1) + 1))
    }
  }
  return at(from.length, to.length)
}

/**
 * Returns the distance of two words, or Infinity if it's more than `most`. A word that is much longer or shorter isn't
 * compared letter by letter, because a request may have a name of a million letters.
 */
const distanceWithin = (most: number, from: string, to: string): number => {
  const away = Math.abs(from.length - to.length) <= most ? distance(from, to) : Infinity
  return away <= most ? away : Infinity
}

/** The known word that was most likely meant; none when nothing is close. */
export const meant = (word: string, words: ReadonlyArray<string>): string | undefined => {
  const lower = word.toLowerCase()
  const near = words
    .map((each) => ({
      each,
      away: distanceWithin(Math.max(1, Math.floor(each.length / 3)), lower, each.toLowerCase())
    }))
    .filter(({ away }) => away < Infinity)
  return near.toSorted((left, right) => left.away - right.away)[0]?.each
}

/** The name in lower case, without the underscores and hyphens of other naming styles. */
const plain = (name: string) => name.toLowerCase().replaceAll(/[-_]/gu, "")

const isMisspelt = (name: string, candidate: string): boolean => {
  if (name === candidate) return true
  // a short word is often close to a name by chance
  if (name.length < 5) return false
  // another service may have a field named session or language, but a limit such as maxCost must not be lost
  if (candidate.startsWith(name)) return candidate.startsWith("max") && name.length * 3 >= candidate.length * 2
  return distanceWithin(name.length < 8 ? 1 : 2, name, candidate) < Infinity
}

/**
 * Returns the known name that an unknown one almost certainly misspells: `maxCostUsd` for `max_cost_usd`, `maxCostUDS` or
 * `maxCost`. It's stricter than `meant`, because another service may have the unknown name.
 */
export const misspeltOf = (name: string, names: ReadonlyArray<string>): string | undefined => {
  const plainName = plain(name)
  return names.find((candidate) => isMisspelt(plainName, plain(candidate)))
}
