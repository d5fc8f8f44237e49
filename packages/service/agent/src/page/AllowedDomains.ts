import { WebAddress } from "@webagent/engine"

/** A host such as `example.com`, with a port such as `localhost:3000`, or each host below one: `*.example.com`. */
export type DomainPattern = string

const isNamed = ({ host, hostname }: URL, patterns: ReadonlyArray<DomainPattern>): boolean =>
  patterns.some((pattern) => {
    const wanted = pattern.toLowerCase()
    const name = (wanted.includes(":") ? host : hostname).replace(/\.$/u, "")
    return wanted.startsWith("*.") ? name.endsWith(wanted.slice(1)) : name === wanted
  })

/** Returns whether the host of an address is one that the patterns name. */
export const isOn = (address: string, patterns: ReadonlyArray<DomainPattern>): boolean => {
  const url = WebAddress.parse(address)
  return url !== undefined && isNamed(url, patterns)
}

/**
 * Returns whether a document of this address may load: only http and https, and only the allowed domains. `null` allows
 * every domain.
 */
export const mayLoad = (address: string, patterns: ReadonlyArray<DomainPattern> | null): boolean =>
  WebAddress.mayLoad(address, (url) => patterns === null || isNamed(url, patterns))
