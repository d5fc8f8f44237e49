import * as Schema from "effect/Schema"
import { answer, undescribed } from "./OpenRecord.ts"
import { cursorPage } from "./Pagination.ts"
import { Timestamp } from "./Timestamp.ts"

/** A stored file: its path in the workspace or among the downloads of a browser, and its size in bytes. */
export const StoredFile = answer({
  path: Schema.String,
  size: Schema.Int,
  lastModified: undescribed(Timestamp),
  // opens the file without an API key for some minutes; with `includeUrls=true` only
  url: undescribed(Schema.NullOr(Schema.String))
}).annotate({ identifier: "StoredFile" })
export type StoredFile = typeof StoredFile.Type

/** A part of the files, in the order of their paths. */
export const FileList = answer({
  files: Schema.Array(StoredFile),
  ...cursorPage
}).annotate({ identifier: "FileList" })
export type FileList = typeof FileList.Type
