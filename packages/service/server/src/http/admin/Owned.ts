import { Owner } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { Caller } from "../../api/Caller.ts"

/** Runs with the caller's own records, even if the caller sees those of every key. */
export const owned = <A, E, R>(use: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Caller, ({ owner }) => Effect.provideService(use, Owner, owner))
