import * as Effect from "effect/Effect"

/** The verdict of an oracle. `because` and `actual` are sentences for the report. */
export type Finding =
  | { readonly holds: true; readonly because: string }
  | { readonly holds: false; readonly expected: string; readonly actual: string }

/**
 * Decides whether an answer was right by looking somewhere else than at the answer: at the shop's orders, at a
 * database, at a second opinion. An oracle that cannot look fails with its own error.
 */
export type Oracle<E = never, R = never> = Effect.Effect<Finding, E, R>

/** It finds that what was expected is so. */
export const holds = (because: string): Finding => ({ holds: true, because })

/** It finds that it is not: what was expected, and what was found instead. */
export const refuted = (expected: string, actual: string): Finding => ({ holds: false, expected, actual })

/** An oracle that looks something up and judges it. */
export const make = <A, E, R>(look: Effect.Effect<A, E, R>, judge: (found: A) => Finding): Oracle<E, R> =>
  Effect.map(look, judge)
