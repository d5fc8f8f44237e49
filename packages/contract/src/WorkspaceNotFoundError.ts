import { errorResponse } from "./ErrorResponse.ts"

/** 404: no workspace has the given id, or it has no file at the given path. `detail` says which. */
export class WorkspaceNotFoundError extends errorResponse<WorkspaceNotFoundError>()(
  "WorkspaceNotFoundError",
  404,
  "Workspace not found"
) {}
