import * as Schema from "effect/Schema"
import type { Call } from "./Errors.ts"
import { withDefault } from "./OpenRecord.ts"

/** 404: the session has no queued message with the given id. The description doesn't show it. */
export class MessageNotFoundError extends Schema.Error<MessageNotFoundError>("MessageNotFoundError")(
  {
    detail: withDefault(Schema.String, "Message not found")
  },
  { httpApiStatus: 404 }
) {
  readonly _tag = "MessageNotFoundError"
  /** The call that was answered so, where a client tells it: no part of the wire. */
  declare readonly call?: Call
  /** The body of the answer as text, without the API key; up to 65,536 characters. */
  declare readonly body?: string
  override get message() {
    return this.detail
  }
}
