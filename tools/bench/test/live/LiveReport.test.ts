import { assert, it } from "vitest"
import { markdown } from "../../src/live/LiveReport.ts"
import { heading } from "../measure/heading.ts"

const cost = { browser: 0.2, server: 0.01 }
const costs = {
  still: { alone: cost, seen: cost },
  animated: { alone: cost, seen: cost, seenBy40: { browser: 0.3, server: 0.04 }, pictures_s: 5 }
}
const changes = (times: number, stale: number) => ({ delays: [20, 30, 40].map((delay) => delay * times), stale })
const keys = (times: number) => ({
  atOnce: [
    [2, 4, 6],
    [4, 8, 12]
  ].map((round) => round.map((delay) => delay * times)),
  inTurn: [[1, 2, 3]]
})

it("a live view has its delays, wrong pictures, keys and costs", () => {
  const text = markdown({ ...heading, against: null, changes: [changes(1, 1)], keys: [keys(1)], costs: [costs] })
  assert.include(text, "| 3 changes | 30 | 39 | 40 |\n")
  assert.include(text, "stayed wrong: 1 of 12.")
  assert.include(text, "| 16 keys at once | 5 | 11 |\n")
  assert.include(text, "| animated page, 40 viewers, 5 pictures a second each | 30 % | 4 % |")
})

it("a live view is compared with that of the other version, round by round", () => {
  const text = markdown({
    ...heading,
    against: "0123abc",
    changes: [changes(1, 0), changes(2, 3)],
    keys: [keys(1), keys(10)],
    costs: [costs, costs]
  })
  assert.include(text, "| 3 changes | 30 | 39 | 40 | 60 | 78 | 80 | 0.5 (0.5 to 0.5) |")
  assert.include(text, "stayed wrong: 0 of 12, and 3 of 12 with 0123abc.")
  assert.include(text, "| 16 keys at once | 5 | 11 | 50 | 110 | 0.1 (0.1 to 0.1) | 0.1 (0.1 to 0.1) |")
  assert.include(text, "| still page, no viewer | 20 % | 1 % | 20 % | 1 % |")
})
