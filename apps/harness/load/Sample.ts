import { answersDecoded, contractViolations } from "./Metrics.ts"
import { type Answer, isSuccess, type Operation } from "./Service.ts"

/** Answers that are held against the contract when their iteration has ended. */
export interface Sample {
  readonly add: (operation: Operation, answer: Answer) => void
  /** Decodes what was added. */
  readonly check: () => Promise<void>
}

/** Of which iterations the answers are decoded. */
export interface Sampling {
  readonly share: number
  /** All virtual users, and which of them this is, from 1. */
  readonly vus: number
  readonly vu: number
  /** The number of the iteration, among this user's. */
  readonly iteration: number
}

/**
 * Whether an iteration is in the sample. Few users decode, and those more often, because the schemas take some MB of
 * each that does; more than one of them, because users and flows can take turns in step.
 */
export const includes = ({ iteration, share, vu, vus }: Sampling): boolean => {
  const decoders = Math.max(5, Math.ceil(vus * share))
  const rate = Math.min(1, (share * vus) / decoders)
  return share > 0 && vu <= decoders && Math.floor(iteration * rate) !== Math.floor((iteration - 1) * rate)
}

/** A sample of one iteration. */
export const make = (): Sample => {
  const answers: Array<readonly [Operation, Answer]> = []
  return {
    add: (operation, answer) => {
      if (isSuccess(answer)) answers.push([operation, answer])
    },
    check: async () => {
      // Here and not above: most virtual users never decode, and the schemas are most of the memory of one that does.
      const { violation } = await import("./Contract.ts")
      for (const [operation, answer] of answers) {
        const problem = violation(operation, answer.body)
        answersDecoded.add(1, { name: operation })
        contractViolations.add(problem === undefined ? 0 : 1, { name: operation })
        if (problem !== undefined) console.warn(`${operation} answers what the contract does not know: ${problem}`)
      }
    }
  }
}
