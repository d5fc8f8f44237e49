import * as Schema from "effect/Schema"
import { Identifier } from "./Identifier.ts"
import { openStatus } from "./OpenStatus.ts"
import { cursorQuery, numberedQuery } from "./PageQuery.ts"
import { browserStatuses } from "./Wire.ts"

// A server decodes queries. A client sends them as they are, and ships none of these schemas.

/** The query of `GET /browsers`. `filterBy` is a status. */
export const BrowserListQuery = Schema.Struct({
  filterBy: Schema.optionalKey(openStatus(browserStatuses)),
  agentSessionId: Schema.optionalKey(Identifier),
  ...numberedQuery
})
export type BrowserListQuery = typeof BrowserListQuery.Type

/** The query of a list of files: the start of their paths. With `includeUrls=true`, each file has a `url`. */
export const FileListQuery = Schema.Struct({
  prefix: Schema.optionalKey(Schema.String),
  includeUrls: Schema.optionalKey(Schema.Literals(["true", "false"])),
  // how links open files: attachment, the default, or inline
  contentDisposition: Schema.optionalKey(Schema.String),
  ...cursorQuery
})
export type FileListQuery = typeof FileListQuery.Type

/** The query of `GET /profiles`: a part of a name, in any case, and a page by its number. */
export const ProfileListQuery = Schema.Struct({ query: Schema.optionalKey(Schema.String), ...numberedQuery })
export type ProfileListQuery = typeof ProfileListQuery.Type

/** The queries of operations on browsers. */
export const browserQueries = { list: BrowserListQuery, downloads: FileListQuery } as const

/** The queries of operations on profiles. */
export const profileQueries = { list: ProfileListQuery } as const

/** The queries of operations on workspaces. */
export const workspaceQueries = {
  files: FileListQuery,
  upload: Schema.Struct({ prefix: Schema.optionalKey(Schema.String) }),
  deleteFile: Schema.Struct({ path: Schema.String })
} as const
