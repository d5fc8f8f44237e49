import type { ErrorClass, WaitTimeoutError as WaitTimeout } from "@webagent/core/promise"
import { errorClass } from "@webagent/core/promise/Caller"
import * as Polling from "@webagent/polling"

// The class is the one that Effect programs catch. Its type here says what an instance has, and nothing of Effect.

/** A wait ended at its deadline. What it waited for goes on at the service, and may go on costing. */
export interface WaitTimeoutError extends WaitTimeout {}
export const WaitTimeoutError: ErrorClass<WaitTimeoutError> = errorClass(Polling.WaitTimeoutError)
