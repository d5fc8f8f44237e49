import { ExitError } from "@webagent/cli/ExitCode"
import * as Effect from "effect/Effect"

const exitCodes = {
  worse: 1,
  slower: 5,
  "cannot tell": 5,
  better: 6,
  faster: undefined,
  "within tolerance": undefined,
  "no difference seen": undefined
} as const

/** Ends a comparison, of nights or of services: each verdict has its own exit code. */
export const endWith = (verdict: keyof typeof exitCodes) => {
  const exitCode = exitCodes[verdict]
  return exitCode === undefined ? Effect.void : Effect.fail(new ExitError({ exitCode }))
}
