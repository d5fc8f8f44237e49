import { hash } from "node:crypto"

/** The list of files that a cursor belongs to. */
export interface FileScope {
  readonly workspaceId: string
  readonly prefix: string
  readonly owner: string | null
}

const hashOf = ({ owner, prefix, workspaceId }: FileScope): string =>
  hash("sha256", JSON.stringify(["files", workspaceId, prefix, owner]), "buffer")
    .subarray(0, 8)
    .toString("base64url")

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

/** Advice for a cursor of another list. */
export const badCursor = "The cursor belongs to another list or to another prefix. Read the list from its start"
