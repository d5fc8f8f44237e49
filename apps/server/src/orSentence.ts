import { StoreUnavailable } from "@webagent/engine"
import { DatabaseError } from "@webagent/sql"
import * as Effect from "effect/Effect"
import { program } from "./program.ts"
import { usage } from "@webagent/cli/UserError"

const causeOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

/** Converts a database error to a sentence for the operator. */
export const orSentence = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.mapError(effect, (error) => {
    if (error instanceof DatabaseError) {
      return usage(error.message.replace("Run: webagent-server", `Run: ${program}`))
    }
    if (error instanceof StoreUnavailable) {
      return usage(`Cannot use the database: ${causeOf(error.cause)}.`)
    }
    return error as Exclude<E, DatabaseError | StoreUnavailable>
  })
