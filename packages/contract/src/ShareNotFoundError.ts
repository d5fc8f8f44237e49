import * as Schema from "effect/Schema"
import type { Call } from "./Errors.ts"
import { withDefault } from "./OpenRecord.ts"

/** 404: no session has the given id, or the session isn't shared. `detail` says which. */
export class ShareNotFoundError extends Schema.Error<ShareNotFoundError>("ShareNotFoundError")(
  {
    detail: withDefault(Schema.String, "Public share not found")
  },
  { httpApiStatus: 404 }
) {
  readonly _tag = "ShareNotFoundError"
  /** The call that was answered so, where a client tells it: no part of the wire. */
  declare readonly call?: Call
  /** The body of the answer as text, without the API key; up to 65,536 characters. */
  declare readonly body?: string
  override get message() {
    return this.detail
  }
}
