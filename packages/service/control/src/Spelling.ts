/** How many letters have to be changed, added or left out to come from one word to the other. */
const distance = (from: string, to: string): number => {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1]
    for (let column = 1; column <= to.length; column++) {
      const changed = (previous[column - 1] ?? 0) + (letter === to[column - 1] ? 0 : 1)
      current.push(Math.min(changed, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous.at(-1) ?? 0
}

/** The known word that was most likely meant; none when nothing is close. */
export const meant = (word: string, known: ReadonlyArray<string>): string | undefined => {
  const near = known
    .map((each) => ({ each, away: distance(word.toLowerCase(), each.toLowerCase()) }))
    .filter(({ away, each }) => away <= Math.max(1, Math.floor(each.length / 3)))
  return near.toSorted((left, right) => left.away - right.away)[0]?.each
}
