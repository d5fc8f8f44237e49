import { errorResponse } from "./ErrorResponse.ts"

/** 404: no session has the given id, or the session isn't shared. `detail` says which. */
export class ShareNotFoundError extends errorResponse<ShareNotFoundError>()(
  "ShareNotFoundError",
  404,
  "Public share not found"
) {}
