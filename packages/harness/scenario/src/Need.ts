/** Requirements of a scenario besides a key, with their meanings. */
export const needs = {
  "scriptable-agent": "an agent that follows the bracket of `simulate`",
  "control-api": "the control API of our own simulated servers",
  "v2-session": "a session that API v2 shows: a given one, or one made through v4",
  money: "runs and browsers that cost",
  assumptions: "responses like those of our servers where the API description is silent",
  "shared-sessions": "one store behind the three versions",
  extensions: "the operations of published clients that the description doesn't show"
} as const

/** Something that a scenario asks of a target; a target that lacks it makes the harness skip the scenario. */
export type Need = keyof typeof needs

/**
 * Returns whether a text names a need.
 *
 * @param text - A word, such as `money`.
 * @returns True if scenarios can declare this need.
 * @example
 * ```ts
 * import { isNeed } from "@webagent/scenario"
 *
 * export const needs = ["money", "luck"].filter(isNeed) // ["money"]
 * ```
 */
export const isNeed = (text: string): text is Need => Object.hasOwn(needs, text)
