import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { Share } from "./Distribution.ts"
import { operations } from "./Operation.ts"
import { Span } from "./Span.ts"

/**
 * The place where a fault hits: before the operation, after it but before the response, or in the middle of the
 * response.
 */
export const Placement = Schema.Literals(["before-apply", "after-apply", "mid-body"])

export type Placement = typeof Placement.Type

/** Never the whole, which is not cut. */
const Part = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: 1, exclusiveMaximum: true }, { expected: "a share from 0 to less than 1" })
)

const around = Schema.optionalKey(Schema.Literals(["before-apply", "after-apply"]))
const anywhere = Schema.optionalKey(Placement)
/** Characters that a header may have. Any others would cause an error 500 in Node instead of the fault. */
const HeaderText = Schema.NonEmptyString.check(
  Schema.isPattern(/^[\t\x20-\x7e]+$/u, { expected: "a text of printable ASCII characters" })
)
const Address = Schema.String.check(
  Schema.isPattern(/^https?:\/\/[\x21-\x7e]+$/u, { expected: "an address that begins with http:// or https://" })
)
const errorStatus = Schema.Int.check(Schema.isBetween({ minimum: 400, maximum: 599 }))

/** When to come back, as a number of seconds or as an HTTP date. */
const retryAfter = {
  retryAfter: Schema.optionalKey(Span),
  retryAfterForm: Schema.optionalKey(Schema.Literals(["seconds", "date"]))
}

/**
 * A fault. By default, connection failures, hangs, error responses and redirects hit before the operation, and slow or
 * mangled responses after it. Before the operation, `slow-headers` delays the request, and `malformed-json` responds
 * with status 200 and half an object.
 */
export const Fault = Schema.Union([
  /** The connection is reset, and the service's port is closed for this long. */
  Schema.Struct({ kind: Schema.Literal("refuse-connections"), for: Span, placement: around }),
  /** The TCP connection is reset. */
  Schema.Struct({ kind: Schema.Literal("reset"), placement: anywhere }),
  /** Nothing (more) is said until the caller leaves, or for this long; then the connection is closed. */
  Schema.Struct({ kind: Schema.Literal("hang"), for: Schema.optionalKey(Span), placement: anywhere }),
  /** The head of the answer takes this long. */
  Schema.Struct({ kind: Schema.Literal("slow-headers"), for: Span, placement: around }),
  /** The body of the answer drips over this long. */
  Schema.Struct({ kind: Schema.Literal("slow-body"), for: Span }),
  /** A part of the body is sent, half of it unless said, then the connection is closed or reset. */
  Schema.Struct({
    kind: Schema.Literal("cut-body"),
    share: Schema.optionalKey(Part),
    end: Schema.optionalKey(Schema.Literals(["close", "reset"]))
  }),
  /** The right status and length, and a body that is not JSON. */
  Schema.Struct({ kind: Schema.Literal("malformed-json"), placement: around }),
  /** The right body under another content type, `text/plain` unless said. */
  Schema.Struct({ kind: Schema.Literal("wrong-content-type"), contentType: Schema.optionalKey(HeaderText) }),
  /** The error page of a proxy in HTML; status 502 by default. */
  Schema.Struct({ kind: Schema.Literal("html-error"), status: Schema.optionalKey(errorStatus), placement: around }),
  /** An error answer `{ "detail": ... }`, 503 unless said. */
  Schema.Struct({
    kind: Schema.Literal("status"),
    status: Schema.optionalKey(errorStatus),
    detail: Schema.optionalKey(Schema.String),
    ...retryAfter,
    placement: around
  }),
  /** The request is carried out twice, as if the network had delivered it twice; the second answer is given. */
  Schema.Struct({ kind: Schema.Literal("duplicate-delivery") }),
  /** A read shows its resource as it was this long ago; one that was not there then is not found. */
  Schema.Struct({ kind: Schema.Literal("stale-read"), lag: Span }),
  /** The machine that answers has a clock that is off by this much; `slow` is behind. */
  Schema.Struct({
    kind: Schema.Literal("clock-skew"),
    by: Span,
    direction: Schema.optionalKey(Schema.Literals(["slow", "fast"]))
  }),
  /** A redirect, 307 unless said, to another origin: one that records what is sent to it, unless `to` names one. */
  Schema.Struct({
    kind: Schema.Literal("redirect"),
    status: Schema.optionalKey(Schema.Literals([301, 302, 303, 307, 308])),
    to: Schema.optionalKey(Address),
    placement: around
  })
]).annotate({ identifier: "Fault" })

export type Fault = typeof Fault.Type

const Ordinals = Schema.NonEmptyArray(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))

/** Which requests a rule hits; every condition that is given has to hold. Without any it hits all operations. */
export const FaultCondition = Schema.Struct({
  /** These operations only; `unrouted` is any other request. Every operation unless given. */
  operations: Schema.optionalKey(Schema.NonEmptyArray(Schema.Literals([...operations, "unrouted"]))),
  /** The resource with this id only. */
  resource: Schema.optionalKey(Schema.NonEmptyString),
  /**
   * The n-th requests of one operation on one resource, from 1; a create counts by its Idempotency-Key or body.
   * They count from the start or the last reset of the service, not from when the plan was set.
   */
  attempts: Schema.optionalKey(Ordinals),
  /**
   * The n-th requests that fit the rest of the rule, from 1, in order of arrival since the plan was set: the one
   * condition that depends on that order. With a rate, these are drawn from.
   */
  nth: Schema.optionalKey(Ordinals),
  /** This share of the requests, drawn from the seed by operation, resource and attempt. */
  rate: Schema.optionalKey(Share),
  /** Only from this long after the plan was set, in service time. */
  from: Schema.optionalKey(Span),
  /** Only until this long after the plan was set, in service time. */
  until: Schema.optionalKey(Span)
}).check(
  Schema.makeFilter(({ from, until }) =>
    from === undefined || until === undefined || Duration.isLessThan(from, until)
      ? undefined
      : { path: ["until"], issue: "is not after from" }
  )
)

export type FaultCondition = typeof FaultCondition.Type

/** One fault, and when it hits. The name appears in the journal and is part of the draw. */
export const FaultRule = Schema.Struct({
  name: Schema.optionalKey(Schema.NonEmptyString),
  fault: Fault,
  when: Schema.optionalKey(FaultCondition)
}).annotate({ identifier: "FaultRule" })

export type FaultRule = typeof FaultRule.Type

/** The rules in order; the first that hits a request is the only one that does. */
export const FaultPlan = Schema.Array(FaultRule)

export type FaultPlan = typeof FaultPlan.Type
