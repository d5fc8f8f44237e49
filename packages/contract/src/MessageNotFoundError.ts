import { errorResponse } from "./ErrorResponse.ts"

/** 404: the session has no queued message with the given id. The description doesn't show it. */
export class MessageNotFoundError extends errorResponse<MessageNotFoundError>()(
  "MessageNotFoundError",
  404,
  "Message not found"
) {}
