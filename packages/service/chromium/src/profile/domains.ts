import type { ProfileContent } from "./ProfileFiles.ts"

/** The most domains of a list. */
const maxDomains = 1000

/** Names of origins in the databases of storage. They aren't compressed in a log, and may be in a table. */
const origins = /META(?:ACCESS)?:https?:\/\/(?<host>[^\0-\x20/:^]+)/gu

const ofFile = ([path, bytes]: ProfileContent["files"][number]): ReadonlyArray<string> => {
  const [, host] = /^IndexedDB\/https?_(.+?)_\d+(?:@\d+)?\.indexeddb/u.exec(path) ?? []
  if (host !== undefined) return [host]
  if (!path.startsWith("Local Storage/leveldb/")) return []
  return Array.from(Buffer.from(bytes).toString("latin1").matchAll(origins), ({ groups }) => groups?.["host"] ?? "")
}

/** Returns the domains that have cookies or storage in a profile, sorted; never a value. */
export const domainsOf = ({ cookies, files }: ProfileContent): ReadonlyArray<string> => {
  const ofCookies = cookies.map(({ domain }) => String(domain).replace(/^\./u, ""))
  return [...new Set([...ofCookies, ...files.flatMap(ofFile)])].toSorted().slice(0, maxDomains)
}
