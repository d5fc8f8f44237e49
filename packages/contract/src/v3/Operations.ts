import * as Schema from "effect/Schema"
import { SessionNotFoundError } from "../Errors.ts"
import { Identifier } from "../Identifier.ts"
import type { Operations } from "../Operation.ts"
import { v3Operations as operations } from "../Wire.ts"
import { Session, SessionCreate } from "./Session.ts"

/** The operations of API v3. */
export const V3Operations = {
  sessions: {
    create: { ...operations.createSession, payload: SessionCreate, success: Session },
    get: {
      ...operations.getSession,
      params: Schema.Struct({ session_id: Identifier }),
      success: Session,
      errors: [SessionNotFoundError]
    }
  }
} as const satisfies Operations
