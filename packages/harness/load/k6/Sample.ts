import { answersDecoded, contractViolations } from "./Metrics.ts"
import type { Operation } from "./Operation.ts"
import { type Answer, isSuccess } from "./Service.ts"

/** Responses that are checked against the contract at the end of their iteration. */
export interface Sample {
  readonly add: (operation: Operation, answer: Answer) => void
  /** Decodes the added responses. */
  readonly check: () => Promise<void>
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
