import { errorResponse } from "./ErrorResponse.ts"

/** 400: the cursor of a list isn't one of this list. Start again without a cursor. The description doesn't show it. */
export class BadCursorError extends errorResponse<BadCursorError>()(
  "BadCursorError",
  400,
  "The cursor belongs to another list. Start again without a cursor"
) {}
