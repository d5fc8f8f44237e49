import { allOperations, isCreate } from "@webagent/contract/Wire"

/** The operation of a request, and its resource. */
export interface Route {
  /** Such as `v4.getRunStatus`; null for any other request. */
  readonly operation: string | null
  /** The first id in its path, decoded; null where there is none. */
  readonly resource: string | null
  /** True if the request creates something. */
  readonly creates: boolean
}

const unrouted: Route = { operation: null, resource: null, creates: false }

/** The operations by method and path with the ids left out, such as `GET v4/runs//status`. */
const operations: ReadonlyMap<string, { readonly name: string; readonly creates: boolean }> = new Map(
  Object.entries(allOperations).flatMap(([version, named]) =>
    Object.entries<{ readonly method: string; readonly path: string }>(named).map(
      ([name, { method, path }]) =>
        [
          `${method} ${version}${path.replaceAll(/\{\w+\}/gu, "")}`,
          { name: `${version}.${name}`, creates: isCreate({ method, path }) }
        ] as const
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
  const operation =
    operations.get(`${method} ${version}${shape}`) ??
    // a second id, such as that of a message
    operations.get(`${method} ${version}${shape.slice(0, shape.lastIndexOf("/") + 1)}`)
  if (operation === undefined) {
    // the path of an account has no id
    const plain = operations.get(`${method} ${version}${rest}`)
    return plain === undefined ? unrouted : { operation: plain.name, resource: null, creates: plain.creates }
  }
  return { operation: operation.name, resource: id === undefined ? null : decoded(id), creates: operation.creates }
}
