import { ConflictError, RunNotFoundError, SessionNotFoundError } from "../Errors.ts"
import type { Operation } from "../Operation.ts"
import { v4Operations as operations } from "../Wire.ts"
import { CreatedRun, RunCreate } from "./Run.ts"

/** `POST /runs` with a `sessionId` in its body: the next run of that session. */
export const CreateRunInSession = {
  ...operations.createRun,
  payload: RunCreate,
  success: CreatedRun,
  errors: [SessionNotFoundError, ConflictError]
} as const satisfies Operation

/** `POST /runs` with a `replayOf` in its body: the steps of an earlier run again. */
export const CreateReplay = {
  ...CreateRunInSession,
  errors: [RunNotFoundError, ConflictError]
} as const satisfies Operation

/** `POST /runs` with all errors of its forms. */
export const CreateAnyRun = {
  ...CreateRunInSession,
  errors: [SessionNotFoundError, RunNotFoundError, ConflictError]
} as const satisfies Operation
