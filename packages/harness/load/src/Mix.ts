/** The flows of a load test; each iteration runs one. */
export const flows = ["runs", "browsers", "status", "queue", "v3", "v2"] as const

/** The name of a flow. */
export type FlowName = (typeof flows)[number]

/** Shares of the flows. */
export interface Mix {
  readonly weights: Readonly<Record<FlowName, number>>
  /**
   * Returns the flow of the nth start. It's the same every time, and flows are evenly spread, so that a short test has
   * all of them.
   *
   * @param index - The number of the start, from 0.
   * @returns The name of the flow.
   * @example
   * ```ts
   * import * as Mix from "@webagent/load/Mix"
   *
   * const mix = Mix.parse("runs=2,browsers=1", "--mix")
   * console.log([0, 1, 2].map(mix.at)) // ["runs", "browsers", "runs"]
   * ```
   */
  readonly at: (index: number) => FlowName
  /**
   * Counts the starts of the same flow before the nth start.
   *
   * @param index - The number of the start, from 0.
   * @returns The number of earlier starts of its flow.
   * @example
   * ```ts
   * import * as Mix from "@webagent/load/Mix"
   *
   * const mix = Mix.parse("runs=2,browsers=1", "--mix")
   * console.log(mix.ordinal(3)) // 2
   * ```
   */
  readonly ordinal: (index: number) => number
  /**
   * Returns the share of a flow in all starts.
   *
   * @param flow - The name of the flow.
   * @returns The share, from 0 to 1.
   * @example
   * ```ts
   * import * as Mix from "@webagent/load/Mix"
   *
   * console.log(Mix.parse("runs=3,browsers=1", "--mix").share("runs")) // 0.75
   * ```
   */
  readonly share: (flow: FlowName) => number
}

/** Puts each flow as often into a round as it weighs, as far apart as they go. */
const roundOf = (weights: Mix["weights"]): ReadonlyArray<FlowName> => {
  const length = flows.reduce((sum, flow) => sum + weights[flow], 0)
  const owed: Record<FlowName, number> = { ...weights }
  return Array.from({ length }, () => {
    const next = flows.reduce((best, flow) => (owed[flow] > owed[best] ? flow : best))
    for (const flow of flows) owed[flow] += weights[flow]
    owed[next] -= length
    return next
  })
}

const example = "runs=3,browsers=1"

/**
 * Reads weights such as `runs=3,browsers=1,status=5`. A flow that isn't named isn't started.
 *
 * @param text - Weights from 0 to 999, separated by commas.
 * @param setting - The name of the flag or variable, for the error.
 * @returns The mix.
 * @throws `Error` that names the setting, if a flow is unknown or named twice, or a weight is invalid.
 * @example
 * ```ts
 * import * as Mix from "@webagent/load/Mix"
 *
 * const mix = Mix.parse("runs=3,browsers=1", "--mix")
 * console.log(mix.weights.browsers) // 1
 * ```
 */
export const parse = (text: string, setting: string): Mix => {
  const weights: Record<FlowName, number> = { runs: 0, browsers: 0, status: 0, queue: 0, v3: 0, v2: 0 }
  const named = new Set<string>()
  for (const part of text.split(",")) {
    const [name, weight, ...more] = part.trim().split("=")
    const flow = flows.find((flow) => flow === name)
    if (flow === undefined || weight === undefined || !/^\d{1,3}$/u.test(weight) || more.length > 0) {
      throw new Error(
        `${setting} must list weights from 0 to 999 for ${flows.join(", ")}, such as ${example}; got "${part.trim()}".`
      )
    }
    if (named.has(flow)) throw new Error(`${setting} lists ${flow} twice. List each flow once, such as ${example}.`)
    named.add(flow)
    weights[flow] = Number(weight)
  }
  const round = roundOf(weights)
  if (round.length === 0) {
    throw new Error(`${setting} starts no flow. Give one a weight of 1 or more, such as ${example}.`)
  }
  const at = (index: number) => {
    const flow = round[index % round.length]
    if (flow === undefined) throw new Error(`There is no start number ${index}.`)
    return flow
  }
  const ordinal = (index: number) => {
    const flow = at(index)
    const inRound = round.slice(0, index % round.length).filter((other) => other === flow).length
    return Math.floor(index / round.length) * weights[flow] + inRound
  }
  return { weights, at, ordinal, share: (flow) => weights[flow] / round.length }
}
