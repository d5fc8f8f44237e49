import * as Schema from "effect/Schema"
import type { Call } from "./Errors.ts"
import { withDefault } from "./OpenRecord.ts"

/** 400: the cursor of a list isn't one of this list. Start again without a cursor. The description doesn't show it. */
export class BadCursorError extends Schema.Error<BadCursorError>("BadCursorError")(
  {
    detail: withDefault(Schema.String, "The cursor belongs to another list. Start again without a cursor")
  },
  { httpApiStatus: 400 }
) {
  readonly _tag = "BadCursorError"
  /** The call that was answered so, where a client tells it: no part of the wire. */
  declare readonly call?: Call
  /** The body of the answer as text, without the API key; up to 65,536 characters. */
  declare readonly body?: string
  override get message() {
    return this.detail
  }
}
