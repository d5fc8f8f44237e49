import { type ApiVersion, operations } from "@webagent/contract/Wire"

/** Which described operation a request is, and on what. */
export interface Route {
  /** Such as `v4.getRunStatus`; null for anything that is not described. */
  readonly operation: string | null
  /** The id in its path, as it is there; null where there is none. */
  readonly resource: string | null
  /** Whether it makes something. */
  readonly creates: boolean
}

const unrouted: Route = { operation: null, resource: null, creates: false }

const versions: ReadonlyArray<ApiVersion> = ["v2", "v3", "v4"]

/** The operations by method and path with the id left out, such as `GET v4/runs//status`. */
const known: ReadonlyMap<string, string> = new Map(
  versions.flatMap((version) =>
    Object.entries(operations[version] as Readonly<Record<string, { method: string; path: string }>>).map(
      ([name, { method, path }]) =>
        [`${method} ${version}${path.replace(/\{\w+\}/u, "")}`, `${version}.${name}`] as const
    )
  )
)

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** What a request to one of these addresses asks for. */
export const routeOf = (baseUrls: Readonly<Record<ApiVersion, string>>, method: string, url: string): Route => {
  const version = versions.find((each) => url.startsWith(`${baseUrls[each]}/`))
  if (version === undefined) return unrouted
  const path = url.slice(baseUrls[version].length).replace(/[?#].*$/u, "")
  const [, collection = "", id, ...rest] = path.split("/")
  const shape = id === undefined ? `/${collection}` : ["", collection, "", ...rest].join("/")
  const operation = known.get(`${method} ${version}${shape}`)
  return operation === undefined
    ? unrouted
    : { operation, resource: id === undefined ? null : decoded(id), creates: method === "POST" }
}
