import type { PlatformError } from "effect/PlatformError"

const sentences: Readonly<Record<string, (path: string) => string>> = {
  EEXIST: (path) => `${path} exists and is not a folder`,
  ENOTDIR: (path) => `a part of ${path} is a file, not a folder`,
  EISDIR: (path) => `${path} is a folder, not a file`,
  "not a file": (path) => `${path} is not a regular file`,
  ENOENT: (path) => `${path} does not exist`,
  EACCES: (path) => `no permission to use ${path}`,
  EPERM: (path) => `no permission to use ${path}`,
  EROFS: (path) => `${path} is read-only`,
  ENOSPC: (path) => `no space is left for ${path}`,
  EDQUOT: (path) => `no space is left for ${path}`,
  ENAMETOOLONG: () => "the name is too long"
}

/** Describes a system error for people: the path and the reason, without a period. */
export const describePlatformError = ({ message, reason }: PlatformError): string => {
  if (reason._tag === "BadArgument") return reason.description ?? message
  const { cause, description, module, pathOrDescriptor } = reason
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined
  const path = pathOrDescriptor === undefined || pathOrDescriptor === "" ? '""' : String(pathOrDescriptor)
  const why = code ?? description ?? (cause instanceof Error ? cause.message : "it does not say why")
  // of a process the same codes mean something else
  return (module === "FileSystem" ? sentences[why]?.(path) : undefined) ?? `the system refused ${path} (${why})`
}

/** The reasons of failed connections, by the codes of the system and of its HTTP client. */
export const connectionErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "its name cannot be resolved",
  ECONNRESET: "connection reset",
  EHOSTUNREACH: "no route to it",
  ENETUNREACH: "no network",
  UND_ERR_SOCKET: "connection closed without a response"
}
