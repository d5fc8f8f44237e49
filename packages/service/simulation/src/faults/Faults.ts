import type { Fault, FaultPlan, FaultRule, Placement, Route } from "@webagent/control"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { draw, type Seed } from "../behavior/Seed.ts"
import type { Identity } from "../journal/Requests.ts"

/** A fault that hits a request. */
export interface InjectedFault {
  /** The name of its rule. */
  readonly rule: string
  readonly fault: Fault
  /** The place where it hits; null for faults that concern the request as a whole. */
  readonly placement: Placement | null
}

/** A rule made ready: sets in place of lists, milliseconds in place of spans, and how many requests have fitted. */
interface Rule extends InjectedFault {
  readonly operations: ReadonlySet<Route> | undefined
  readonly resource: string | undefined
  readonly attempts: ReadonlySet<number> | undefined
  readonly nth: ReadonlySet<number> | undefined
  readonly rate: number | undefined
  readonly from_ms: number
  readonly until_ms: number
  readonly readsOnly: boolean
  fitted: number
}

const usualPlacement: Readonly<Record<Fault["kind"], Placement | null>> = {
  "refuse-connections": "before-apply",
  reset: "before-apply",
  hang: "before-apply",
  "slow-headers": "after-apply",
  "slow-body": "mid-body",
  "cut-body": "mid-body",
  "malformed-json": "after-apply",
  "wrong-content-type": null,
  "html-error": "before-apply",
  status: "before-apply",
  "duplicate-delivery": null,
  "stale-read": null,
  "clock-skew": null,
  redirect: "before-apply"
}

const placementOf = (fault: Fault): Placement | null =>
  ("placement" in fault ? fault.placement : undefined) ?? usualPlacement[fault.kind]

const setOf = <A>(values: ReadonlyArray<A> | undefined): ReadonlySet<A> | undefined =>
  values === undefined ? undefined : new Set(values)

const compile = ({ fault, name, when = {} }: FaultRule, index: number): Rule => ({
  rule: name ?? `${fault.kind}-${index + 1}`,
  fault,
  placement: placementOf(fault),
  operations: setOf(when.operations),
  resource: when.resource?.toLowerCase(),
  attempts: setOf(when.attempts),
  nth: setOf(when.nth),
  rate: when.rate,
  from_ms: when.from === undefined ? 0 : Duration.toMillis(when.from),
  until_ms: when.until === undefined ? Number.POSITIVE_INFINITY : Duration.toMillis(when.until),
  readsOnly: fault.kind === "stale-read",
  fitted: 0
})

const fits = (rule: Rule, request: Identity, since_ms: number): boolean =>
  (rule.operations === undefined ? request.operation !== "unrouted" : rule.operations.has(request.operation)) &&
  (!rule.readsOnly || request.reads) &&
  (rule.resource === undefined || rule.resource === request.resource) &&
  (rule.attempts === undefined || rule.attempts.has(request.attempt)) &&
  since_ms >= rule.from_ms &&
  since_ms < rule.until_ms

const isDrawn = ({ rate, rule }: Rule, request: Identity, seed: Seed): boolean =>
  rate === undefined ||
  draw(seed, "fault", rule, request.operation, request.create ?? request.resource ?? "", request.attempt) < rate

/** Decides for each request which fault hits it, if any. Says nothing of how. */
export interface FaultMatcher {
  /**
   * Returns the fault that hits a request.
   *
   * @param request - The operation, the resource and the attempt of the request.
   * @param at_ms - The service time, in milliseconds since 1970.
   * @returns The fault, or undefined if none hits.
   * @example
   * ```ts
   * import type { FaultMatcher } from "@webagent/simulation"
   *
   * type Identity = Parameters<FaultMatcher["of"]>[0]
   * export const kindOf = (matcher: FaultMatcher, request: Identity) => matcher.of(request, Date.now())?.fault.kind
   * ```
   */
  readonly of: (request: Identity, at_ms: number) => InjectedFault | undefined
  /** Age of stale reads, in milliseconds; 0 without any. */
  readonly lag_ms: number
}

/**
 * Prepares the decisions of a fault plan. It needs memory for one number per rule.
 *
 * @param plan - The rules, in order.
 * @param seed - The seed of the random decisions.
 * @param set_ms - The service time at which the plan was set, in milliseconds since 1970.
 * @returns The matcher, which chooses the fault of a request.
 * @example
 * ```ts
 * import { makeMatcher } from "@webagent/simulation"
 *
 * export const matcher = makeMatcher([{ fault: { kind: "reset" }, when: { operations: ["v4.getRunStatus"] } }], 7, 0)
 * ```
 */
export const makeMatcher = (plan: FaultPlan, seed: Seed, set_ms: number): FaultMatcher => {
  const rules = plan.map(compile)
  const lags = plan.map(({ fault }) => (fault.kind === "stale-read" ? Duration.toMillis(fault.lag) : 0))
  return {
    lag_ms: Math.max(0, ...lags),
    of: (request, at_ms) => {
      let first: Rule | undefined
      for (const rule of rules) {
        if (!fits(rule, request, at_ms - set_ms)) continue
        // counted also behind a rule that hits: what a rule counts does not depend on its neighbours
        rule.fitted++
        if (first !== undefined || (rule.nth !== undefined && !rule.nth.has(rule.fitted))) continue
        if (isDrawn(rule, request, seed)) first = rule
      }
      return first
    }
  }
}

/**
 * Holds the active faults. The fault of a request depends on the seed, the rule and the request, and not on other
 * requests; only `nth` counts in order of arrival.
 *
 * @example
 * ```ts
 * import { Faults } from "@webagent/simulation"
 *
 * export const program = Faults.use((faults) =>
 *   faults.set([{ fault: { kind: "reset" }, when: { operations: ["v4.getRunStatus"], attempts: [3] } }])
 * )
 * ```
 */
export class Faults extends Context.Service<
  Faults,
  {
    readonly plan: Effect.Effect<FaultPlan>
    /**
     * Replaces the faults, and counts requests from 1 again. A running request keeps its fault.
     *
     * @param plan - The faults. An empty plan removes all of them.
     * @returns An effect that replaces them.
     * @example
     * ```ts
     * import { Faults } from "@webagent/simulation"
     *
     * export const program = Faults.use((faults) => faults.set([{ fault: { kind: "status", status: 503 } }]))
     * ```
     */
    readonly set: (plan: FaultPlan) => Effect.Effect<void>
    /**
     * Sets the same faults again, with fresh counts.
     *
     * @param seed - A new seed for random decisions; by default, the seed stays.
     * @returns An effect that resets them.
     * @example
     * ```ts
     * import { Faults } from "@webagent/simulation"
     *
     * export const program = Faults.use((faults) => faults.reset(7))
     * ```
     */
    readonly reset: (seed?: Seed) => Effect.Effect<void>
    /**
     * Returns the current matcher. It's synchronous, because every request calls it.
     *
     * @returns The matcher. Undefined if no fault can hit.
     * @example
     * ```ts
     * import { Faults } from "@webagent/simulation"
     * import * as Effect from "effect/Effect"
     *
     * export const lag_ms = Effect.map(Faults, (faults) => faults.matcherUnsafe()?.lag_ms ?? 0)
     * ```
     */
    readonly matcherUnsafe: () => FaultMatcher | undefined
  }
>()("@webagent/simulation/Faults") {
  /**
   * Provides the faults of a simulated service.
   *
   * @param options - The seed of random decisions, and the initial plan; by default, no faults.
   * @returns A layer with the faults.
   * @example
   * ```ts
   * import { Faults } from "@webagent/simulation"
   *
   * export const layer = Faults.layer({ seed: 7, plan: [{ fault: { kind: "malformed-json" }, when: { rate: 0.1 } }] })
   * ```
   */
  static readonly layer = (options: { readonly seed?: Seed; readonly plan?: FaultPlan } = {}): Layer.Layer<Faults> =>
    Layer.effect(Faults, make(options))
}

const make = Effect.fnUntraced(function* (options: { readonly seed?: Seed; readonly plan?: FaultPlan }) {
  let seed = options.seed ?? 1
  let plan = options.plan ?? []
  let matcher: FaultMatcher | undefined
  const begin = (next: FaultPlan) =>
    Effect.map(Clock.currentTimeMillis, (now_ms) => {
      plan = next
      matcher = plan.length === 0 ? undefined : makeMatcher(plan, seed, now_ms)
    })
  yield* begin(plan)
  return Faults.of({
    plan: Effect.sync(() => plan),
    set: begin,
    reset: (next) =>
      Effect.suspend(() => {
        seed = next ?? seed
        return begin(plan)
      }),
    matcherUnsafe: () => matcher
  })
})
