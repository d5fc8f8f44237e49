import type { Verdict } from "@webagent/report/Verdict"
import { hostile } from "../../server/World.ts"

/** Numbers from 0 to 1 that are the same in each test. */
export const randomOf = (seed: number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
}

export const newest_ms = Date.parse("2026-11-27T02:00:00.000Z")
export const day_ms = 86_400_000

export const suiteNames = ["shop", "travel", "bank", "forum", "office"]
const actions = [
  "pays by card",
  "finds the cheapest seat",
  "downloads an invoice",
  "answers a question",
  "books a room"
]
export const owners = ["payments", "search", null]

/** The name of a scenario by its number. */
export const nameOf = (n: number): { readonly suite: string; readonly name: string } => ({
  suite: suiteNames[n % suiteNames.length] ?? "shop",
  name: n === 7 ? hostile[0] : `${actions[Math.floor(n / suiteNames.length) % actions.length]} ${n}`
})

export const tagsOf = (n: number) => (n % 3 === 0 ? ["smoke"] : n % 7 === 0 ? ["paid", "slow"] : ["nightly"])

export const verdictAt = (random: () => number, scenario: number, night: number): Verdict => {
  // scenario 2 fails since five nights, 3 is flaky for months, 4 fell tonight
  if (scenario === 2 && night < 5) return "failed"
  if (scenario === 3 && random() < 0.3) return "flaky"
  if (scenario === 4 && night === 0) return "claimed"
  if (scenario === 6 && night === 1) return "infra"
  const at = random()
  return at < 0.004 ? "failed" : at < 0.012 ? "flaky" : at < 0.014 ? "infra" : "passed"
}

/** The run of the newest night, and one that runs. */
export const lastRun = "2026-11-27T02-00-00Z"
export const liveRun = "2026-11-27T09-00-00Z"

export const trials = 5

export const nightId = (n: number): string => (0xa00000 + n).toString(16)
