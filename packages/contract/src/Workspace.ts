import * as Schema from "effect/Schema"
import { ConflictError } from "./Errors.ts"
import { FileList } from "./Files.ts"
import { Identifier } from "./Identifier.ts"
import { Label } from "./Label.ts"
import { BadCursorError } from "./BadCursorError.ts"
import { WorkspaceNotFoundError } from "./WorkspaceNotFoundError.ts"
import { answer, nullable, openRecord, undescribed, withDefault } from "./OpenRecord.ts"
import type { Operation } from "./Operation.ts"
import { numberedPage } from "./Pagination.ts"
import { Timestamp } from "./Timestamp.ts"
import { workspaceOperations as operations } from "./Wire.ts"

/** The body of `POST /workspaces` and `PATCH /workspaces/{workspace_id}`. In a PATCH, null clears the name. */
export const WorkspaceInput = openRecord({
  name: Label
}).annotate({ identifier: "WorkspaceInput" })
export type WorkspaceInput = typeof WorkspaceInput.Type

/** A workspace: files that several sessions can use. An archived one can be read and not changed. */
export const Workspace = answer({
  id: Identifier,
  name: nullable(Schema.String),
  archived: withDefault(Schema.Boolean, false),
  createdAt: undescribed(Timestamp),
  updatedAt: undescribed(Timestamp)
}).annotate({ identifier: "Workspace" })
export type Workspace = typeof Workspace.Type

/** A page of workspaces, newest first. */
export const WorkspaceList = answer(numberedPage(Workspace)).annotate({ identifier: "WorkspaceList" })
export type WorkspaceList = typeof WorkspaceList.Type

/** The bytes that the files of a workspace take, and the most that they may take. */
export const WorkspaceSize = answer({ usedBytes: Schema.Int, maxBytes: Schema.Int }).annotate({
  identifier: "WorkspaceSize"
})
export type WorkspaceSize = typeof WorkspaceSize.Type

/** A file to upload: a plain file name, its media type, and its size in bytes. */
const UploadItem = openRecord({
  name: Schema.String,
  contentType: withDefault(Schema.String, "application/octet-stream"),
  size: Schema.optionalKey(Schema.NullOr(Schema.Int))
}).annotate({ identifier: "UploadItem" })

/** The body of `POST /workspaces/{workspace_id}/files/upload`. */
export const UploadRequest = openRecord({
  files: Schema.Array(UploadItem).check(
    Schema.isMinLength(1, { message: "Expected at least one file" }),
    Schema.isMaxLength(100, { message: "Expected at most 100 files" })
  ),
  // false keeps a file that has the name already, and stores the new one under another name
  allowOverrides: withDefault(Schema.Boolean, true)
}).annotate({ identifier: "UploadRequest" })
export type UploadRequest = typeof UploadRequest.Type

/** The upload target of a file: PUT its bytes to `uploadUrl` once, without an API key. */
const UploadTarget = answer({
  id: undescribed(Identifier),
  name: Schema.String,
  storedName: undescribed(Schema.String),
  path: Schema.String,
  willOverride: undescribed(Schema.Boolean),
  uploadUrl: Schema.String
}).annotate({ identifier: "UploadTarget" })

/** The response to an upload request: one entry per file, in the order of the request. */
export const UploadResponse = answer({ files: Schema.Array(UploadTarget) }).annotate({ identifier: "UploadResponse" })
export type UploadResponse = typeof UploadResponse.Type

const ofWorkspace = { params: Schema.Struct({ workspace_id: Identifier }), errors: [WorkspaceNotFoundError] } as const

/** The operations on workspaces and their files that v3 and v4 have. */
export const WorkspaceExtensions = {
  create: { ...operations.createWorkspace, payload: WorkspaceInput, success: Workspace, errors: [ConflictError] },
  get: { ...operations.getWorkspace, ...ofWorkspace, success: Workspace },
  update: { ...operations.updateWorkspace, ...ofWorkspace, payload: WorkspaceInput, success: Workspace },
  delete: { ...operations.deleteWorkspace, ...ofWorkspace, success: Schema.Void, status: 204 },
  size: { ...operations.getWorkspaceSize, ...ofWorkspace, success: WorkspaceSize },
  files: {
    ...operations.listFiles,
    ...ofWorkspace,
    success: FileList,
    errors: [WorkspaceNotFoundError, BadCursorError]
  },
  upload: {
    ...operations.uploadFiles,
    ...ofWorkspace,
    payload: UploadRequest,
    success: UploadResponse,
    errors: [WorkspaceNotFoundError, ConflictError]
  },
  deleteFile: {
    ...operations.deleteFile,
    ...ofWorkspace,
    success: Schema.Void,
    status: 204,
    errors: [WorkspaceNotFoundError, ConflictError]
  }
} as const satisfies Readonly<Record<string, Operation>>
