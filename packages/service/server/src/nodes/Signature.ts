import { createHmac, randomBytes, timingSafeEqual } from "node:crypto"

/** The header of a request that a node carries to another one. */
export const header = "x-webagent-node"

/** Its value in an answer that is not for the client: the header was refused, or the node has no room for a browser. */
export const refused = "refused"
export const full = "full"

/** A request, as far as a signature is for it alone. */
export interface Signed {
  readonly method: string
  /** Path and query, as they are sent. */
  readonly url: string
  /** True if it was already counted as a request of its key. */
  readonly counted?: boolean
}

/** For how long a signature holds, and by how much the clocks of two nodes may differ. */
const window_ms = 10_000

/**
 * Result of checking whether a request comes from a node; `counted` if that node counted it for its key, `late` if the
 * clocks differ or it was signed long ago.
 */
export type Claim = "none" | "right" | "counted" | "elsewhere" | "late" | "refused"

/** Signs requests to other nodes, and checks those of other nodes, which all have the same secret. */
export const make = (secret: Uint8Array, self: string) => {
  /** The signatures that were used here, with the time until which each would hold; those that end first are first. */
  const used = new Map<string, number>()

  const signature = (to: string, at: string, nonce: string, { counted = false, method, url }: Signed) =>
    createHmac("sha256", secret)
      .update(JSON.stringify([to, at, nonce, method, url, ...(counted ? ["counted"] : [])]))
      .digest()

  const isNew = (nonce: string, now_ms: number) => {
    for (const [usedNonce, until_ms] of used) {
      if (until_ms > now_ms) break
      used.delete(usedNonce)
    }
    if (used.has(nonce)) return false
    // one that is ahead of this clock holds for longer
    used.set(nonce, now_ms + 2 * window_ms)
    return true
  }

  return {
    /** The value of the header for this request to this node, now. */
    sign: (to: string, request: Signed, now_ms: number): string => {
      const at = String(Math.floor(now_ms))
      const nonce = randomBytes(16).toString("base64url")
      const mac = signature(to, at, nonce, request).toString("base64url")
      return new URLSearchParams({
        to,
        at,
        nonce,
        mac,
        ...(request.counted === true ? { counted: "" } : {})
      }).toString()
    },
    /** Checks the header of a request for this node and time. A signature is valid once. */
    check: (value: string | undefined, { method, url }: Signed, now_ms: number): Claim => {
      if (value === undefined) return "none"
      const fields = new URLSearchParams(value)
      const [to = "", at = "", nonce = "", mac = ""] = ["to", "at", "nonce", "mac"].map(
        (name) => fields.get(name) ?? ""
      )
      const counted = fields.has("counted")
      const expected = signature(to, at, nonce, { counted, method, url })
      const actual = Buffer.from(mac, "base64url")
      if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return "refused"
      if (!(Math.abs(now_ms - Number(at)) <= window_ms)) return "late"
      if (to !== self) return "elsewhere"
      if (!isNew(nonce, now_ms)) return "refused"
      return counted ? "counted" : "right"
    }
  }
}
