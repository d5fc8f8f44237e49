/** A host such as `example.com`, with a port such as `localhost:3000`, or each host below one: `*.example.com`. */
export type DomainPattern = string

const webAddress = (url: string): URL | undefined => {
  const address = URL.canParse(url) ? new URL(url) : undefined
  return address?.protocol === "http:" || address?.protocol === "https:" ? address : undefined
}

/** Returns whether the host of an address is one that the patterns name. */
export const isOn = (url: string, patterns: ReadonlyArray<DomainPattern>): boolean => {
  const address = webAddress(url)
  if (address === undefined) return false
  return patterns.some((pattern) => {
    const wanted = pattern.toLowerCase()
    const host = (wanted.includes(":") ? address.host : address.hostname).replace(/\.$/u, "")
    return wanted.startsWith("*.") ? host.endsWith(wanted.slice(1)) : host === wanted
  })
}

/**
 * Returns whether a document of this address may load: only http and https, and only the allowed domains. `null` allows
 * every domain.
 */
export const mayLoad = (url: string, patterns: ReadonlyArray<DomainPattern> | null): boolean => {
  // documents that a page makes itself, with what it has
  if (url === "about:blank" || url === "about:srcdoc") return true
  if (url.startsWith("blob:")) return mayLoad(url.slice("blob:".length), patterns)
  return patterns === null ? webAddress(url) !== undefined : isOn(url, patterns)
}
