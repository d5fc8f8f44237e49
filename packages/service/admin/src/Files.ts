import { contentTooLarge, Identifier } from "@webagent/contract"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { errors } from "./Errors.ts"

/** A file that a run downloaded. Its name and content come from a website: show the name as text only. */
export const Attachment = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  contentType: Schema.String,
  sizeBytes: Schema.Int
}).annotate({ identifier: "AdminAttachment" })
export type Attachment = typeof Attachment.Type

/** The most files of one run. */
export const mostFilesOfRun = 20

/** The files to upload for a new run. */
export const UploadFiles = Schema.Struct({
  files: Schema.Array(
    Schema.Struct({ name: Schema.NonEmptyString, contentType: Schema.NonEmptyString, size: Schema.Int })
  ).check(Schema.isMinLength(1), Schema.isMaxLength(mostFilesOfRun))
}).annotate({ identifier: "UploadFiles" })

/** A file that the server expects. */
export const ExpectedFile = Schema.Struct({
  /** Its id in `attachedFileIds` of a new run, once its bytes are stored. */
  id: Schema.String,
  name: Schema.String,
  /** Address for the bytes, by PUT within 15 minutes. It takes a token and no key. */
  uploadUrl: Schema.String
}).annotate({ identifier: "ExpectedFile" })
export type ExpectedFile = typeof ExpectedFile.Type

const ofRun = { params: { run_id: Identifier }, error: [errors.notFound, errors.unavailable] }

/** Files that runs downloaded, and files for new runs. */
export class FilesGroup extends HttpApiGroup.make("files").add(
  HttpApiEndpoint.get("attachments", "/runs/:run_id/attachments", {
    ...ofRun,
    success: Schema.Array(Attachment)
  }).annotate(OpenApi.Summary, "List the files that a run downloaded, by name"),
  HttpApiEndpoint.get("attachment", "/runs/:run_id/attachments/:attachment_id", {
    ...ofRun,
    params: { ...ofRun.params, attachment_id: Identifier },
    success: HttpApiSchema.StreamUint8Array({ contentType: "application/octet-stream" })
  }).annotate(OpenApi.Summary, "Download a file of a run, through a redirect to its link"),
  HttpApiEndpoint.post("upload", "/files", {
    payload: UploadFiles,
    success: Schema.Array(ExpectedFile).pipe(HttpApiSchema.status(201)),
    error: [errors.notFound, errors.conflict, contentTooLarge, errors.unavailable]
  }).annotate(
    OpenApi.Summary,
    "Announce files for a new run of the request's key; they are stored in its workspace “Attached files”"
  )
) {}
