import { operations } from "@webagent/contract/Wire"

/** Which described operation a request is, and on what. */
export interface Route {
  /** Such as `v4.getRunStatus`; null for anything that is not described. */
  readonly operation: string | null
  /** The id in its path, decoded; null where there is none. */
  readonly resource: string | null
  /** True if the request creates something. */
  readonly creates: boolean
}

const unrouted: Route = { operation: null, resource: null, creates: false }

/** The operations by method and path with the id left out, such as `GET v4/runs//status`. */
const operationNames: ReadonlyMap<string, string> = new Map(
  Object.entries(operations).flatMap(([version, named]) =>
    Object.entries(named as Readonly<Record<string, { method: string; path: string }>>).map(
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

/** Returns the route of a request, by its method and its path from `/api/vN` on, such as `/api/v4/runs/7/status`. */
export const routeOf = (method: string, path: string): Route => {
  const [, version, rest] = /^\/api\/(v\d+)(\/[^?#]*)/u.exec(path) ?? []
  if (version === undefined || rest === undefined) return unrouted
  const [, collection = "", id, ...more] = rest.split("/")
  const shape = id === undefined ? `/${collection}` : ["", collection, "", ...more].join("/")
  const operation = operationNames.get(`${method} ${version}${shape}`)
  return operation === undefined
    ? unrouted
    : { operation, resource: id === undefined ? null : decoded(id), creates: method === "POST" }
}
