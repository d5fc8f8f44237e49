import type { Operation, Route } from "@webagent/control"
import { allOperations, basePath, isCreate } from "@webagent/contract/Wire"
import { pathOf } from "@webagent/server"
import * as BoundedMap from "./BoundedMap.ts"

/** Which operation on what: all of a request's identity that is in its first line. */
export interface Target {
  readonly operation: Route
  /** The first id in the path in lower case; null where there is none. */
  readonly resource: string | null
  /** True if the request creates something. */
  readonly creates: boolean
  /** True if the request only reads. */
  readonly reads: boolean
}

/** The identity of a request, independent of requests that overtake it. */
export interface Identity extends Target {
  /** A create's key, as `CreateHashes` makes it; null for every other request. */
  readonly create: string | null
  /** From 1: the how-manieth request of this operation on this resource, or of this create. */
  readonly attempt: number
}

const unrouted: Target = { operation: "unrouted", resource: null, creates: false, reads: false }

/** The operations by method and path with the ids left out, such as `GET /api/v4/runs//status`. */
const targets: ReadonlyMap<string, Target> = new Map(
  Object.entries(allOperations).flatMap(([version, named]) =>
    Object.entries<{ readonly method: string; readonly path: string }>(named).flatMap(([name, { method, path }]) => {
      const target: Target = {
        operation: `${version}.${name}` as Operation,
        resource: null,
        creates: isCreate({ method, path }),
        reads: method === "GET"
      }
      const shape = `${basePath[version as keyof typeof basePath]}${path.replaceAll(/\{\w+\}/gu, "")}`
      return (method === "GET" ? ["GET", "HEAD"] : [method]).map((verb) => [`${verb} ${shape}`, target] as const)
    })
  )
)

/** The operation on a second id in a path, such as `GET /api/v4/sessions//queue/`. */
const nested = (method: string, shape: string): Target | undefined =>
  targets.get(`${method} ${shape.slice(0, shape.lastIndexOf("/") + 1)}`)

const prefixLength = `${basePath.v4}/`.length

/** Maximum length of an address in the journal, in characters. */
export const longestPath = 2048

/** The longest id that is kept, in characters: those of this server have 36. */
export const longestResource = 256

/**
 * A text of at most `longest` characters: callers can send texts of any length, and the journal keeps them. The part is
 * copied, since a slice would keep the whole text in memory.
 */
export const clipped = (text: string, longest: number): string =>
  text.length <= longest ? text : `${Buffer.from(text.slice(0, longest)).toString()}…`

/** The operation and the resource that a request asks for. */
export const targetOf = (method: string, url: string): Target => {
  const path = pathOf(url)
  const from = path.indexOf("/", prefixLength) + 1
  if (from === 0) return targets.get(`${method} ${path}`) ?? unrouted
  const end = path.indexOf("/", from)
  const to = end === -1 ? path.length : end
  const shape = `${path.slice(0, from)}${path.slice(to)}`
  const target = path.endsWith("/") ? undefined : (targets.get(`${method} ${shape}`) ?? nested(method, shape))
  // the path of an account has no id
  if (target === undefined) return targets.get(`${method} ${path}`) ?? unrouted
  return {
    operation: target.operation,
    resource: clipped(path.slice(from, to).toLowerCase(), longestResource),
    creates: target.creates,
    reads: target.reads
  }
}

/** Maximum number of remembered addresses, and their maximum length. */
const maxAddresses = 10_000
const longestAddress = 256

/** The target of a request, and its form in the journal. Requests for the same address share these texts. */
export interface Address {
  readonly shown: string
  readonly target: Target
}

/**
 * Finds targets of requests. Polls ask for the same targets again and again, so a small cache keeps them for a short
 * time.
 */
export const makeAddresses = (show: (url: string) => string): ((method: string, url: string) => Address) => {
  const targets = BoundedMap.make<Address>(maxAddresses)
  return (method, url) => {
    const remembered = method === "GET" ? targets.get(url) : undefined
    if (remembered !== undefined) return remembered
    const address = { shown: show(url), target: targetOf(method, url) }
    if (method !== "GET" || url.length > longestAddress) return address
    targets.set(url, address)
    return address
  }
}

/** Maximum number of counters per operation; the oldest is dropped then, and counts from 1 again. */
export const maxCounters = 100_000

/** Counts requests by what identifies them, from 1, in bounded memory. */
export const makeAttempts = (bound = maxCounters) => {
  const counters = new Map<Route, BoundedMap.BoundedMap<number>>()
  return {
    next: (operation: Route, key: string): number => {
      const counted = counters.get(operation) ?? BoundedMap.make<number>(bound)
      counters.set(operation, counted)
      const attempt = (counted.get(key) ?? 0) + 1
      counted.set(key, attempt)
      return attempt
    },
    clear: () => counters.clear()
  }
}
