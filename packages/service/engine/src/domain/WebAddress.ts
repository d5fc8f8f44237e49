/** Parses an address if it's http or https. */
export const parse = (address: string): URL | undefined => {
  const url = URL.parse(address)
  return url?.protocol === "http:" || url?.protocol === "https:" ? url : undefined
}

/** Documents that a page makes itself, with what it has. */
const own = new Set(["about:blank", "about:srcdoc"])

/**
 * Returns whether a document of this address may load: one of http or https that `isAllowed`, or an empty one. All other
 * addresses, such as `file:`, `chrome:` and `javascript:`, are refused.
 */
export const mayLoad = (address: string, isAllowed: (url: URL) => boolean = () => true): boolean => {
  if (own.has(address)) return true
  if (address.startsWith("blob:")) return mayLoad(address.slice("blob:".length), isAllowed)
  const url = parse(address)
  return url !== undefined && isAllowed(url)
}

/** Completes an address as people type it: `example.com` is `https://example.com`. */
export const complete = (address: string): string => {
  const text = address.trim()
  const hasScheme = /^[a-z][a-z\d+.-]*:/iu.test(text) && !/^[\w.-]+:\d/u.test(text)
  return hasScheme ? text : `https://${text}`
}
