import * as Schema from "effect/Schema"
import { SessionNotFoundError } from "../Errors.ts"
import { Uuid } from "../Identifier.ts"
import { commonErrors, type Operations } from "../Operation.ts"
import { v2Operations as operations } from "../Wire.ts"
import type { V2Api } from "./Api.ts"
import { SessionView } from "./Session.ts"

/** The operations of API v2, as a client needs them. */
export const V2Operations: Operations<typeof V2Api> = {
  sessions: {
    get: {
      ...operations.getSession,
      params: Schema.Struct({ session_id: Uuid }),
      success: SessionView,
      errors: { ...commonErrors, 404: SessionNotFoundError }
    }
  }
}
