import type { Operations } from "../Operation.ts"
import { SessionExtensions } from "./SessionExtensions.ts"
import { TaskExtensions } from "./TaskExtensions.ts"

/** The operations of API v2 that the description doesn't show, as published clients call them. A service may lack them. */
export const V2Extensions = { tasks: TaskExtensions, sessions: SessionExtensions } as const satisfies Operations
