/** undici by hand: no timeout but its own, no retry, nothing checked. */
import { Agent, request } from "undici"
import { byHand } from "./by-hand.mjs"

const dispatcher = new Agent({ keepAliveTimeout: 20_000 })

export const make = byHand(async (url, options) => {
  const { body } = await request(url, { ...options, dispatcher })
  return body.json()
})
