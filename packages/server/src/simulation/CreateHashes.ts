import type { Route } from "@webagent/control"
import { hash } from "node:crypto"
import { maxCounters } from "./Requests.ts"

/** What is known of a create when it comes. */
export interface Create {
  readonly operation: Route
  /** The id in the path; null where there is none. */
  readonly resource: string | null
  readonly idempotencyKey: string | undefined
  readonly body: string
}

/** Says which create a request is, the same for the same seed whatever overtakes it, in bounded memory. */
export interface CreateHashes {
  readonly of: (create: Create) => string
  readonly clear: () => void
}

const digest = (...parts: ReadonlyArray<string | number | null>): string =>
  hash("sha256", JSON.stringify(parts), "hex").slice(0, 32)

/** A key that nobody has chosen. */
const isRandom = (key: string): boolean => /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/iu.test(key)

/**
 * A create is what its Idempotency-Key says, else its path and body. A key that is a uuid was drawn by a client and
 * is another one the next time, so it only tells creates of one body apart: they are counted as they come, and one
 * that is sent again is the same as before.
 */
export const make = (bound = maxCounters): CreateHashes => {
  const drawn = new Map<string, string>()
  const counts = new Map<string, number>()

  const kept = <Value>(map: Map<string, Value>, key: string, value: Value): Value => {
    if (!map.has(key) && map.size >= bound) {
      const [oldest] = map.keys()
      if (oldest !== undefined) map.delete(oldest)
    }
    map.set(key, value)
    return value
  }

  const counted = (asked: string, key: string): string => {
    const known = drawn.get(`${asked}${key}`)
    if (known !== undefined) return known
    const ordinal = kept(counts, asked, (counts.get(asked) ?? 0) + 1)
    return kept(drawn, `${asked}${key}`, digest(asked, ordinal))
  }

  return {
    of: ({ body, idempotencyKey, operation, resource }) => {
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
