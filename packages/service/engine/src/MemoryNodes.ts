import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Node } from "./domain/Node.ts"
import type { Store } from "./ports/Store.ts"

/** The nodes of a store in memory. */
export interface MemoryNodes {
  /** Operations of the store. */
  readonly operations: Pick<Store["Service"], "renew" | "nodes" | "silent" | "node" | "drain" | "leave" | "isLost">
  /** Returns whether the lease of a node has expired. */
  readonly isExpired: (node: string, now_ms: number) => boolean
}

/** Makes an empty set of nodes; `now` is the time of the store. */
export const make = (now: Effect.Effect<number>): MemoryNodes => {
  /** The end of each node's lease, and its record; a lost node has no record. */
  const nodes = new Map<string, { readonly until_ms: number; readonly node?: Node }>()

  const nodesWhere = (fits: (until_ms: number, now_ms: number) => boolean) =>
    Effect.map(now, (now_ms) =>
      [...nodes.values()]
        .flatMap(({ node, until_ms }) => (node !== undefined && fits(until_ms, now_ms) ? [node] : []))
        .toSorted((left, right) => (left.id < right.id ? -1 : 1))
    )

  const isExpired = (node: string, now_ms: number) => (nodes.get(node)?.until_ms ?? -Infinity) <= now_ms

  return {
    isExpired,
    operations: {
      renew: (node, ttl_ms, isKnown = false) =>
        Effect.map(now, (now_ms) => {
          const known = nodes.get(node.id)
          if (known === undefined ? isKnown : known.node === undefined) return false
          const draining = node.draining || (known?.node?.draining ?? false)
          nodes.set(node.id, { until_ms: now_ms + ttl_ms, node: { ...node, draining } })
          return true
        }),
      nodes: nodesWhere((until_ms, now_ms) => until_ms > now_ms),
      silent: nodesWhere((until_ms, now_ms) => until_ms <= now_ms),
      drain: (id, draining = true) =>
        Effect.map(now, (now_ms) => {
          const { node, until_ms = now_ms } = nodes.get(id) ?? {}
          if (node === undefined || until_ms <= now_ms) return false
          nodes.set(id, { until_ms, node: { ...node, draining } })
          return true
        }),
      node: (id) =>
        Effect.map(now, (now_ms) => {
          const { node, until_ms = now_ms } = nodes.get(id) ?? {}
          return until_ms <= now_ms ? Option.none() : Option.fromUndefinedOr(node)
        }),
      leave: (node) => Effect.map(now, (now_ms) => void nodes.set(node, { until_ms: now_ms })),
      isLost: (node) =>
        Effect.map(now, (now_ms) => {
          if (!isExpired(node, now_ms)) return false
          if (nodes.has(node)) nodes.set(node, { until_ms: -Infinity })
          return true
        })
    }
  }
}
