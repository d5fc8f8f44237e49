import * as Schema from "effect/Schema"
import type { Call } from "./Errors.ts"
import { withDefault } from "./OpenRecord.ts"

/** 404: no workspace has the given id, or it has no file at the given path. `detail` says which. */
export class WorkspaceNotFoundError extends Schema.Error<WorkspaceNotFoundError>("WorkspaceNotFoundError")(
  {
    detail: withDefault(Schema.String, "Workspace not found")
  },
  { httpApiStatus: 404 }
) {
  readonly _tag = "WorkspaceNotFoundError"
  /** The call that was answered so, where a client tells it: no part of the wire. */
  declare readonly call?: Call
  /** The body of the answer as text, without the API key; up to 65,536 characters. */
  declare readonly body?: string
  override get message() {
    return this.detail
  }
}
