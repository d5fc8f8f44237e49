import { errorResponse } from "./ErrorResponse.ts"

/** 404: no browser profile has the given id. */
export class ProfileNotFoundError extends errorResponse<ProfileNotFoundError>()(
  "ProfileNotFoundError",
  404,
  "Profile not found"
) {}
