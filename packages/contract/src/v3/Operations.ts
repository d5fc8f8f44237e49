import * as Schema from "effect/Schema"
import { SessionNotFoundError } from "../Errors.ts"
import { Identifier } from "../Identifier.ts"
import { commonErrors, type Operations } from "../Operation.ts"
import { v3Operations as operations } from "../Wire.ts"
import type { V3Api } from "./Api.ts"
import { Session, SessionCreate } from "./Session.ts"

/** The operations of API v3, as a client needs them. */
export const V3Operations: Operations<typeof V3Api> = {
  sessions: {
    create: { ...operations.createSession, payload: SessionCreate, success: Session, errors: commonErrors },
    get: {
      ...operations.getSession,
      params: Schema.Struct({ session_id: Identifier }),
      success: Session,
      errors: { ...commonErrors, 404: SessionNotFoundError }
    }
  }
}
