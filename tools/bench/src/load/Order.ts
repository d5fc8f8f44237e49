/**
 * The order in which `count` members take turns in a round, by their numbers: over the rounds each comes after each other one
 * equally often, so that what one leaves behind (a warm server, a cool processor) falls on all alike (Williams, 1949). That
 * is complete after `count` rounds of an even count, and after twice as many of an odd one.
 */
export const orderOf = (count: number, round: number): ReadonlyArray<number> => {
  // 0, 1, last, 2, last but one, ...
  const first = Array.from({ length: count }, (_, turn) =>
    turn % 2 === 1 ? (turn + 1) / 2 : (count - turn / 2) % count
  )
  const order = first.map((number) => (number + round) % count)
  return count % 2 === 1 && Math.floor(round / count) % 2 === 1 ? order.toReversed() : order
}
