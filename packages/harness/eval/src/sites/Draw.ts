/** Returns a whole number from `least` to `most`, both included. */
export const whole = (random: () => number, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1))

/** Returns one element of a list that has some. */
export const one = <A>(random: () => number, list: ReadonlyArray<A>): A => {
  const drawn = list[whole(random, 0, list.length - 1)]
  if (drawn === undefined) throw new RangeError("An empty list has nothing to draw from.")
  return drawn
}

/** Returns the elements of a list in another order. */
export const shuffled = <A>(random: () => number, list: ReadonlyArray<A>): ReadonlyArray<A> =>
  list
    .map((value) => ({ value, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ value }) => value)
