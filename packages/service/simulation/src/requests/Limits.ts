import type { Profile, Route } from "@webagent/control"
import { Turn } from "@webagent/engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Seed from "../behavior/Seed.ts"
import { Behavior } from "../behavior/Behavior.ts"
import * as Distribution from "../behavior/Distribution.ts"
import { httpDate } from "../faults/FaultAnswer.ts"
import type { Caller, RequestContext, Slot } from "./RequestContext.ts"
import * as BoundedMap from "../journal/BoundedMap.ts"
import type { Identity } from "../journal/Requests.ts"
import * as TokenBucket from "./TokenBucket.ts"

/** Who asks for what. */
export interface LimitedRequest {
  readonly identity: Identity
  /** As it was sent; the empty text without one. */
  readonly apiKey: string
  readonly idempotencyKey: string | undefined
}

/** The reason why a request is refused. */
export interface Refusal {
  readonly detail: string
  /** The header's text; null when the profile says nothing. */
  readonly retryAfter: string | null
}

/** A change of a record: `from` is null for a new one. */
export interface Move {
  readonly of: "session" | "turn" | "browser"
  readonly id: string
  readonly from: string | null
  readonly to: string
}

/** Let in, with a slot for what a create will make; or not. */
type Admission = { readonly refusal: Refusal } | { readonly slot: Slot | null }

const kinds: Readonly<Partial<Record<Route, keyof Caller["open"]>>> = {
  "v2.createTask": "turn",
  "v2.createBrowser": "browser",
  "v3.createSession": "turn",
  "v3.createBrowser": "browser",
  "v4.createRun": "turn",
  "v4.queueMessage": "turn",
  "v4.createBrowser": "browser"
}

/** The end of a run is unknown, so a caller at its limit is asked to try again after a while. */
const fullRetryAfter_ms = 2000

/** Maximum number of remembered API keys, and of creates with an Idempotency-Key; the oldest are dropped. */
const maxCallers = 1000
const maxKeyed = 10_000

/**
 * The limits of each API key and the latency of the service, by the current profile. Requests are refused before the
 * operation. Everything here is synchronous for speed; the caller passes the time.
 */
export class Limits extends Context.Service<
  Limits,
  {
    /** Returns whether the profile limits or delays anything; otherwise only creates need a check. */
    readonly inForce: () => boolean
    /** Asks to be let in at this time. A slot has to be left when the request ends, however it ends. */
    readonly enter: (asked: LimitedRequest, now_ms: number) => Admission
    /** The request is over: a slot that nothing was made for is free again. */
    readonly leave: (slot: Slot) => void
    /** A record is new or has moved, during this exchange if there was one. */
    readonly moved: (move: Move, context: RequestContext | undefined) => void
    /** Returns the latency of a request, in milliseconds. */
    readonly latency_ms: (identity: Identity) => number
    /** Forgets who has what. */
    readonly clear: Effect.Effect<void>
  }
>()("@webagent/simulation/Limits") {
  /** Limits by the profile in force; no caller is at one yet. */
  static get layer(): Layer.Layer<Limits, never, Behavior> {
    return Layer.effect(Limits, make)
  }
}

type Rules = NonNullable<Profile["limits"]>

const rateOf = ({ burst, requestsPerSecond }: Rules): TokenBucket.Rate | undefined =>
  requestsPerSecond === undefined
    ? undefined
    : { perSecond: requestsPerSecond, burst: burst ?? Math.max(1, Math.ceil(requestsPerSecond)) }

const keyOf = ({ attempt, create, operation, resource }: Identity) => [operation, create ?? resource ?? "", attempt]

const make = Effect.map(Behavior, (behavior): Limits["Service"] => {
  const callers = BoundedMap.make<Caller>(maxCallers)
  const buckets = BoundedMap.make<TokenBucket.TokenBucket>(maxCallers)
  /** Who has each open turn and browser. */
  const owners = new Map<string, Caller>()
  const keyed = BoundedMap.make<true>(maxKeyed)

  const callerOf = (apiKey: string): Caller => {
    const caller = callers.get(apiKey) ?? { open: { turn: 0, browser: 0 } }
    callers.set(apiKey, caller)
    return caller
  }

  /** `Retry-After` as the profile wants it said. An HTTP date has whole seconds, so it is the next one. */
  const retryAfterOf = (wait_ms: number, { retryAfter = "seconds" }: Rules, identity: Identity, now_ms: number) => {
    if (retryAfter === "none") return null
    const asDate =
      retryAfter === "date" ||
      (retryAfter === "either" && Seed.draw(behavior.seed(), "retryAfter", ...keyOf(identity)) < 0.5)
    return asDate
      ? httpDate(Math.ceil((now_ms + wait_ms) / 1000) * 1000)
      : String(Math.max(1, Math.ceil(wait_ms / 1000)))
  }

  const tooFast = (rules: Rules, apiKey: string, now_ms: number): number => {
    const rate = rateOf(rules)
    if (rate === undefined) return 0
    const [left, wait_ms] = TokenBucket.take(buckets.get(apiKey) ?? TokenBucket.full, rate, now_ms)
    buckets.set(apiKey, left)
    return wait_ms
  }

  const most = (rules: Rules | undefined, of: Slot["of"]) =>
    (of === "turn" ? rules?.concurrentRuns : rules?.concurrentBrowsers) ?? Infinity

  /** A repeated create is answered also at a limit: it makes nothing. */
  const replayOf = ({ apiKey, idempotencyKey, identity: { operation, resource } }: LimitedRequest) =>
    idempotencyKey === undefined ? undefined : JSON.stringify([apiKey, operation, resource, idempotencyKey])

  const slot = (request: LimitedRequest, of: Slot["of"], rules: Rules | undefined): Slot | undefined => {
    const caller = callerOf(request.apiKey)
    const replay = replayOf(request)
    if (replay !== undefined && keyed.get(replay) === true) return { caller, of, held: false }
    if (caller.open[of] >= most(rules, of)) return undefined
    caller.open[of]++
    return { caller, of, held: true, ...(replay === undefined ? {} : { replay }) }
  }

  const enter = (request: LimitedRequest, now_ms: number): Admission => {
    const { identity } = request
    if (identity.operation === "unrouted") return { slot: null }
    const rules = behavior.profile().limits
    const refuse = (detail: string, wait_ms: number): Admission => ({
      refusal: { detail, retryAfter: retryAfterOf(wait_ms, rules ?? {}, identity, now_ms) }
    })
    const wait_ms = rules === undefined ? 0 : tooFast(rules, request.apiKey, now_ms)
    if (wait_ms > 0) return refuse(`Too many requests: at most ${rules?.requestsPerSecond} per second`, wait_ms)
    const of = kinds[identity.operation]
    if (of === undefined) return { slot: null }
    const freeSlot = slot(request, of, rules)
    return freeSlot === undefined
      ? refuse(
          `Too many concurrent ${of === "turn" ? "runs" : "browsers"}: at most ${most(rules, of)}`,
          fullRetryAfter_ms
        )
      : { slot: freeSlot }
  }

  const moved = ({ from, id, of, to }: Move, context: RequestContext | undefined) => {
    if (to === "stopped" || Turn.isTerminal(to)) {
      const owner = owners.get(id)
      if (owner === undefined || of === "session") return
      owners.delete(id)
      owner.open[of]--
      return
    }
    const heldSlot = context?.slot
    if (from !== null || heldSlot === null || heldSlot === undefined || heldSlot.of !== of) return
    if (heldSlot.held) heldSlot.held = false
    else heldSlot.caller.open[of]++
    if (heldSlot.replay !== undefined) keyed.set(heldSlot.replay, true)
    owners.set(id, heldSlot.caller)
  }

  return {
    inForce: () => {
      const { latency, limits } = behavior.profile()
      return limits !== undefined || latency !== undefined
    },
    enter,
    leave: (heldSlot) => {
      if (heldSlot.held) heldSlot.caller.open[heldSlot.of]--
      heldSlot.held = false
    },
    moved,
    latency_ms: (identity) => {
      const { latency } = behavior.profile()
      if (latency === undefined || identity.operation === "unrouted") return 0
      return Distribution.draw_ms(latency, behavior.seed(), "latency", ...keyOf(identity))
    },
    clear: Effect.sync(() => {
      for (const state of [callers, buckets, owners, keyed]) state.clear()
    })
  }
})
