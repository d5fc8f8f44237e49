/** Requirements of a scenario besides a key, with their meanings. */
export const needs = {
  "scriptable-agent": "an agent that does what the bracket of `simulate` says",
  "control-api": "the control API of our own simulated servers",
  "v2-session": "a session that API v2 shows: a given one, or one made through v4",
  money: "runs and browsers that cost",
  assumptions: "answers as our servers give them where the description is silent",
  "shared-sessions": "one store behind the three versions",
  extensions: "the operations of published clients that the description doesn't show"
} as const

/** Something that a scenario asks of a target; a target that lacks it makes the harness skip the scenario. */
export type Need = keyof typeof needs

/** Returns whether a text names a need. */
export const isNeed = (text: string): text is Need => Object.hasOwn(needs, text)
