/** fetch by hand: no timeout, no retry, nothing checked. */
import { byHand } from "./by-hand.mjs"

export const make = byHand(async (url, options) => {
  const answer = await fetch(url, options)
  return answer.json()
})
