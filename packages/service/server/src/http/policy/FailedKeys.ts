import { AdmissionRefused } from "@webagent/engine"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import { hash } from "node:crypto"
import { requestSender } from "../../api/TrustedProxies.ts"

/** Number of different wrong keys that an address may send per minute before it gets 429 instead of 401. */
export const failuresPerMinute = 20

const minute_ms = 60_000

/** Maximum number of addresses that are remembered; the one that failed longest ago is forgotten first. */
const mostAddresses = 10_000

/** The prefix of an IPv6 address that one client usually has to itself: the first four groups. */
const networkOf = (address: string): string => {
  const [groups = ""] = address.split("::", 1)
  return address.includes(":") ? groups.split(":").slice(0, 4).join(":") : address
}

/** The different wrong keys of an address within a minute, by their hashes. */
interface Failures {
  readonly since_ms: number
  readonly keys: Set<string>
}

/**
 * Counts wrong keys by the client's address. It is asked only after a key was found to be wrong, so a valid key is never
 * refused, whatever other clients of its address send. A missing key and the repetition of a wrong one are no guesses,
 * so a client with an outdated key gets its 401 however often it asks.
 */
export const make = () => {
  const failures = new Map<string, Failures>()
  return Effect.fnUntraced(function* (secret: string) {
    const request = yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest)
    if (Option.isNone(request) || secret === "") return
    const { address } = yield* requestSender(request.value)
    if (address === undefined) return
    const now_ms = yield* Clock.currentTimeMillis
    const network = networkOf(address)
    const before = failures.get(network)
    const current =
      before === undefined || now_ms - before.since_ms >= minute_ms
        ? { since_ms: now_ms, keys: new Set<string>() }
        : before
    failures.delete(network)
    failures.set(network, current)
    if (failures.size > mostAddresses) failures.delete(failures.keys().next().value ?? "")
    const key = hash("sha256", secret).slice(0, 16)
    if (current.keys.has(key)) return
    if (current.keys.size < failuresPerMinute) {
      current.keys.add(key)
      return
    }
    return yield* new AdmissionRefused({
      message: `Too many wrong API keys from ${address}. Check the key`,
      retryAfter_ms: current.since_ms + minute_ms - now_ms
    })
  })
}
