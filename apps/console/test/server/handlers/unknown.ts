import { NotFoundError } from "@webagent/admin"
import * as Effect from "effect/Effect"

/** The error of a record that the world doesn't have. */
export const unknown = (what: string): NotFoundError => new NotFoundError({ detail: `There is no ${what}` })

/** Handler of an operation that no test of the screens uses. */
export const notTested = Effect.die("not part of these tests")
