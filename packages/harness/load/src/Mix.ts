/** The flows of a load test; each iteration runs one. */
export const flows = ["runs", "browsers", "status", "queue", "v3", "v2"] as const

/** The name of a flow. */
export type FlowName = (typeof flows)[number]

/** Shares of the flows. */
export interface Mix {
  readonly weights: Readonly<Record<FlowName, number>>
  /** The flow of the nth start: the same every time, and evenly spread, so that a short test has all of them. */
  readonly at: (index: number) => FlowName
  /** Returns the number of starts of the same flow before the nth start. */
  readonly ordinal: (index: number) => number
  /** The share of a flow in all starts. */
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
 * Reads weights such as `runs=3,browsers=1,status=5`; a flow that is not named is not started. `setting` is what an error
 * calls the text: a flag or a variable.
 *
 * @param text - Weights such as `runs=3,browsers=1`.
 * @param setting - The name of the setting, for the error.
 * @returns The weight of each flow. Throws if a name or a weight is invalid.
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
