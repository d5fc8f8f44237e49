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

/** The known word that was most likely meant; none when nothing is close. */
export const meant = (word: string, words: ReadonlyArray<string>): string | undefined => {
  const near = words
    .map((each) => ({ each, away: distance(word.toLowerCase(), each.toLowerCase()) }))
    .filter(({ away, each }) => away <= Math.max(1, Math.floor(each.length / 3)))
  return near.toSorted((left, right) => left.away - right.away)[0]?.each
}
