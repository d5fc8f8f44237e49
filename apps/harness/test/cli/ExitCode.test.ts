import type { ExitError } from "@webagent/cli/ExitCode"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { endWith } from "../../src/cli/ExitCode.ts"

it.effect.each([
  ["worse", 1],
  ["slower", 5],
  ["cannot tell", 5],
  ["better", 6],
  ["faster", 0],
  ["within tolerance", 0],
  ["no difference seen", 0]
] as const)("a comparison with the verdict %s exits with %i", ([verdict, code]) => {
  const ending: Effect.Effect<void, ExitError> = endWith(verdict)
  return ending.pipe(
    Effect.match({ onSuccess: () => 0, onFailure: ({ exitCode }) => exitCode }),
    Effect.map((exitCode) => assert.strictEqual(exitCode, code))
  )
})
