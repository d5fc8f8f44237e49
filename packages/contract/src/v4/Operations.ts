import * as Schema from "effect/Schema"
import { BrowserNotFoundError, ConflictError, RunNotFoundError, SessionNotFoundError } from "../Errors.ts"
import { Identifier } from "../Identifier.ts"
import { commonErrors, type Operations } from "../Operation.ts"
import { v4Operations as operations } from "../Wire.ts"
import type { V4Api } from "./Api.ts"
import { Browser, BrowserCreate, BrowserUpdate, UpdatedBrowser } from "./Browser.ts"
import { CreatedRun, Run, RunCreate, RunStatusView } from "./Run.ts"
import { QueuedMessage, QueueMessage } from "./Session.ts"

const ofRun = {
  params: Schema.Struct({ run_id: Identifier }),
  errors: { ...commonErrors, 404: RunNotFoundError }
}

/** The operations of API v4, as a client needs them. */
export const V4Operations: Operations<typeof V4Api> = {
  runs: {
    create: { ...operations.createRun, payload: RunCreate, success: CreatedRun, errors: commonErrors },
    status: { ...operations.getRunStatus, ...ofRun, success: RunStatusView },
    get: { ...operations.getRun, ...ofRun, success: Run }
  },
  sessions: {
    queue: {
      ...operations.queueMessage,
      params: Schema.Struct({ session_id: Identifier }),
      payload: QueueMessage,
      success: QueuedMessage,
      errors: { ...commonErrors, 404: SessionNotFoundError, 409: ConflictError }
    }
  },
  browsers: {
    create: { ...operations.createBrowser, payload: BrowserCreate, success: Browser, errors: commonErrors },
    update: {
      ...operations.updateBrowser,
      params: Schema.Struct({ browser_id: Identifier }),
      payload: BrowserUpdate,
      success: UpdatedBrowser,
      errors: { ...commonErrors, 404: BrowserNotFoundError }
    }
  }
}
