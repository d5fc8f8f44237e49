import * as Schema from "effect/Schema"
import { Moment, OptionalText } from "./Fields.ts"

/** A workspace: files that several sessions can use. An archived one is read-only. */
export const Workspace = Schema.Struct({
  id: Schema.String,
  owner: OptionalText,
  name: OptionalText,
  archived: Schema.Boolean,
  createdAt_ms: Moment,
  updatedAt_ms: Moment
})

export type Workspace = typeof Workspace.Type

/** A file of a workspace, without its bytes. */
export const WorkspaceFile = Schema.Struct({
  /** Segments with `/` between them, none of them empty, `.` or `..`. */
  path: Schema.String,
  contentType: Schema.String,
  size: Schema.Int,
  modifiedAt_ms: Moment
})

export type WorkspaceFile = typeof WorkspaceFile.Type

/** Longest name of a file, and longest path, in UTF-8 bytes. */
const longestName = 255
const longestPath = 1024

const bytesOf = (text: string) => new TextEncoder().encode(text).length

/** True if the text is the name of a file: without separators, control characters, and not `.` or `..`. */
export const isFileName = (text: string): boolean =>
  !["", ".", ".."].includes(text) && !/[/\\\p{Cc}]/u.test(text) && text.isWellFormed() && bytesOf(text) <= longestName

/** True if the text is a path in a workspace: names of files with `/` between them. */
export const isFilePath = (text: string): boolean => text.split("/").every(isFileName) && bytesOf(text) <= longestPath

/** Returns the first of `name.ext`, `name (1).ext`, `name (2).ext` and so on that is free. */
export const freePath = (path: string, isTaken: (path: string) => boolean): string => {
  if (!isTaken(path)) return path
  const [, start = path, extension = ""] = /^(.*?[^/])(\.[^./]*)?$/u.exec(path) ?? []
  let count = 1
  while (isTaken(`${start} (${count})${extension}`)) count++
  return `${start} (${count})${extension}`
}
