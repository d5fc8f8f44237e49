import * as Redacted from "effect/Redacted"

/** True if the name of a database is the address of a Postgres server; otherwise, it is a file. */
export const isAddress = (database: string): boolean => /:\/\/|^postgres(?:ql)?:/iu.test(database)

/** Null also where an unescaped character of the password ends the hidden part early: the rest would be shown. */
export const parsed = (url: Redacted.Redacted): URL | null => {
  const address = URL.parse(Redacted.value(url))
  if (address === null || !/^postgres(?:ql)?:$/u.test(address.protocol)) return null
  const { hash, pathname, search, username } = address
  return username === "" && `${pathname}${search}${hash}`.includes("@") ? null : address
}

/** The address without its password and settings, but for the host that it names among them, for people and logs. */
export const shown = (url: Redacted.Redacted): string => {
  const address = parsed(url)
  if (address === null) return "the address"
  const { host, pathname, searchParams, username } = address
  const other = searchParams.get("host")
  const settings = other === null ? "" : `?host=${encodeURI(other)}`
  return `postgres://${username === "" ? "" : `${username}@`}${host}${pathname}${settings}`
}
