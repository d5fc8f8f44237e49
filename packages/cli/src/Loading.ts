import * as Effect from "effect/Effect"

/**
 * Runs the effect of a module that is loaded when it is needed, so that a program starts and prints its help without it:
 * `loading(async () => (await import("./runSuites.ts")).runSuites(options))`.
 */
export const loading = <A, E, R>(load: () => Promise<Effect.Effect<A, E, R>>): Effect.Effect<A, E, R> =>
  Effect.flatten(Effect.promise(load))
