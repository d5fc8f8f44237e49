import * as Cursor from "./Cursor.ts"

/** The list of files that a cursor belongs to. */
export interface FileScope {
  readonly workspaceId: string
  readonly prefix: string
  readonly owner: string | null
}

const hashOf = ({ owner, ...filter }: FileScope): string => Cursor.hashOf({ list: "files", owner, filter })

/** Returns the cursor behind the file with this path: opaque text for clients. */
export const encode = (scope: FileScope, path: string): string =>
  Buffer.from(`${hashOf(scope)}${path}`).toString("base64url")

/** Returns the path after which a list continues, empty at its start; undefined for a cursor of another list. */
export const decode = (scope: FileScope, cursor: string | undefined): string | undefined => {
  if (cursor === undefined) return ""
  const start = hashOf(scope)
  const text = Buffer.from(cursor, "base64url").toString("utf8")
  return text.startsWith(start) ? text.slice(start.length) : undefined
}
