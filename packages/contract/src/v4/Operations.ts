import * as Schema from "effect/Schema"
import { BrowserNotFoundError, ConflictError, RunNotFoundError, SessionNotFoundError } from "../Errors.ts"
import { Identifier } from "../Identifier.ts"
import type { Operations } from "../Operation.ts"
import { v4Operations as operations } from "../Wire.ts"
import { Browser, BrowserCreate, BrowserUpdate, UpdatedBrowser } from "../Browser.ts"
import { CreatedRun, Run, RunCreate, RunStatusView } from "./Run.ts"
import { QueuedMessage, QueueMessage } from "./Session.ts"

const ofRun = { params: Schema.Struct({ run_id: Identifier }), errors: [RunNotFoundError] } as const

/** The operations of API v4. */
export const V4Operations = {
  runs: {
    create: { ...operations.createRun, payload: RunCreate, success: CreatedRun },
    status: { ...operations.getRunStatus, ...ofRun, success: RunStatusView },
    get: { ...operations.getRun, ...ofRun, success: Run }
  },
  sessions: {
    queue: {
      ...operations.queueMessage,
      params: Schema.Struct({ session_id: Identifier }),
      payload: QueueMessage,
      success: QueuedMessage,
      errors: [SessionNotFoundError, ConflictError]
    }
  },
  browsers: {
    create: { ...operations.createBrowser, payload: BrowserCreate, success: Browser },
    update: {
      ...operations.updateBrowser,
      params: Schema.Struct({ browser_id: Identifier }),
      payload: BrowserUpdate,
      success: UpdatedBrowser,
      errors: [BrowserNotFoundError]
    }
  }
} as const satisfies Operations
