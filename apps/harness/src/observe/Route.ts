import { type Route, routeOf as routeOfPath } from "@webagent/cassette/Route"
import { type ApiVersion, basePath } from "@webagent/contract/Wire"

export type { Route }

const versions: ReadonlyArray<ApiVersion> = ["v2", "v3", "v4"]

/** Determines the operation of a request from its address. */
export const routeOf = (baseUrls: Readonly<Record<ApiVersion, string>>, method: string, url: string): Route => {
  const version = versions.find((each) => url.startsWith(`${baseUrls[each]}/`))
  return routeOfPath(method, version === undefined ? "" : `${basePath[version]}${url.slice(baseUrls[version].length)}`)
}
