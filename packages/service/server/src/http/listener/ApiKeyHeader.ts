import { apiKeyHeader } from "@webagent/contract/Wire"

const usual = apiKeyHeader.toLowerCase()

/** True if a text is the name of an HTTP header. */
export const isHeaderName = (text: string): boolean => /^[\w!#$%&'*+.^`|~-]+$/u.test(text)

/**
 * Reads the API key from another header as well, because clients of other services send it under another name. The
 * headers of a request then have the key under the usual name only, so that nothing behind needs to know the other one.
 */
export const accept = (name: string): ((headers: NodeJS.Dict<string | Array<string>>) => void) => {
  if (!isHeaderName(name)) throw new TypeError(`apiKeyHeader: "${name}" is not the name of a header.`)
  const other = name.toLowerCase()
  return (headers) => {
    const { [other]: key } = headers
    if (key === undefined || other === usual) return
    headers[usual] ??= key
    delete headers[other]
  }
}
