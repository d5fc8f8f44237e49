import * as Schema from "effect/Schema"
import type { Call } from "./Errors.ts"
import { withDefault } from "./OpenRecord.ts"

// errors of operations that the description doesn't show; a client that calls none of them ships none of these

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

/** 404: no v2 task has the given id. */
export class TaskNotFoundError extends Schema.Error<TaskNotFoundError>("TaskNotFoundError")(
  {
    detail: withDefault(Schema.String, "Task not found")
  },
  { httpApiStatus: 404 }
) {
  readonly _tag = "TaskNotFoundError"
  /** The call that was answered so, where a client tells it: no part of the wire. */
  declare readonly call?: Call
  /** The body of the answer as text, without the API key; up to 65,536 characters. */
  declare readonly body?: string
  override get message() {
    return this.detail
  }
}

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

/** 404: no browser profile has the given id. */
export class ProfileNotFoundError extends Schema.Error<ProfileNotFoundError>("ProfileNotFoundError")(
  {
    detail: withDefault(Schema.String, "Profile not found")
  },
  { httpApiStatus: 404 }
) {
  readonly _tag = "ProfileNotFoundError"
  /** The call that was answered so, where a client tells it: no part of the wire. */
  declare readonly call?: Call
  /** The body of the answer as text, without the API key; up to 65,536 characters. */
  declare readonly body?: string
  override get message() {
    return this.detail
  }
}

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
