import type { Route } from "@webagent/control"
import { hash } from "node:crypto"
import * as BoundedMap from "../journal/BoundedMap.ts"
import { maxCounters } from "../journal/Requests.ts"

/** Facts about a create when it arrives. */
export interface Create {
  readonly operation: Route
  /** The id in the path; null where there is none. */
  readonly resource: string | null
  readonly idempotencyKey: string | undefined
  readonly body: string
}

const digest = (...parts: ReadonlyArray<string | number | null>): string => {
  const hex = hash("sha256", JSON.stringify(parts), "hex")
  // joined, because a slice keeps the whole text in memory
  return [hex.slice(0, 16), hex.slice(16, 32)].join("")
}

/** A random key, such as clients make by default. */
const isRandom = (key: string): boolean => /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/iu.test(key)

/**
 * Says which create a request is, the same for the same seed whatever overtakes it, in bounded memory.
 *
 * A create is what its Idempotency-Key says, else its path and body. A key that is a uuid was drawn by a client and
 * is another one the next time, so it only tells creates of one body apart: they are counted as they come, and one
 * that is sent again is the same as before.
 */
export const make = (bound = maxCounters) => {
  const drawn = BoundedMap.make<string>(bound)
  const counts = BoundedMap.make<number>(bound)

  const counted = (hash: string, key: string): string => {
    const drawnKey = [hash, key].join("")
    const existing = drawn.get(drawnKey)
    if (existing !== undefined) return existing
    const ordinal = (counts.get(hash) ?? 0) + 1
    counts.set(hash, ordinal)
    const create = digest(hash, ordinal)
    drawn.set(drawnKey, create)
    return create
  }

  return {
    of: ({ body, idempotencyKey, operation, resource }: Create): string => {
      if (idempotencyKey === undefined) return digest(operation, resource, "body", body)
      if (!isRandom(idempotencyKey)) return digest(operation, resource, "key", idempotencyKey)
      return counted(digest(operation, resource, "drawn", body), idempotencyKey.toLowerCase())
    },
    clear: () => {
      drawn.clear()
      counts.clear()
    }
  }
}
