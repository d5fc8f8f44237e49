import * as Contract from "@webagent/contract"
import type { ErrorClass } from "../ErrorClass.ts"
import type * as Types from "./Types.ts"

export type * from "./Types.ts"
export { make, makeBrowsers, makeWorkspaces } from "./AccountCalls.ts"

export const ProfileNotFoundError: ErrorClass<Types.ProfileNotFoundError> = Contract.ProfileNotFoundError

export const WorkspaceNotFoundError: ErrorClass<Types.WorkspaceNotFoundError> = Contract.WorkspaceNotFoundError
