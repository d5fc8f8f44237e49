import * as Schema from "effect/Schema"
import { SessionNotFoundError } from "../Errors.ts"
import { Uuid } from "../Identifier.ts"
import type { Operations } from "../Operation.ts"
import { v2Operations as operations } from "../Wire.ts"
import { SessionView } from "./Session.ts"

/** The operations of API v2. */
export const V2Operations = {
  sessions: {
    get: {
      ...operations.getSession,
      params: Schema.Struct({ session_id: Uuid }),
      success: SessionView,
      errors: [SessionNotFoundError]
    }
  }
} as const satisfies Operations
