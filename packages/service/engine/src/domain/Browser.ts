import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Decimal from "./Decimal.ts"
import { Moment, OptionalMoment, OptionalText } from "./Fields.ts"
import { Screen } from "./Screen.ts"
import { invalidTransition, type InvalidTransition } from "./InvalidTransition.ts"

/** Reasons why a browser stopped by itself: its time limit, no use, a crash, or its use of memory or disk. */
const endReasons = ["expired", "idle", "crashed", "out_of_memory", "out_of_disk"] as const

/** The reason why a browser stopped by itself. */
export type EndReason = (typeof endReasons)[number]

/** Reasons why a browser stopped. */
const stopReasons = [
  "asked",
  "session_stopped",
  ...endReasons,
  "ended",
  "launch_failed",
  "node_lost",
  "node_closed"
] as const

/** The reason why a browser stopped: on request, with its session, at its time limit, by itself, or with its node. */
export type StopReason = (typeof stopReasons)[number]

/** Statuses of a browser. */
export const browserStatuses = ["starting", "active", "stopped"] as const

/** A hosted browser that client code drives itself over CDP. */
export const Browser = Schema.Struct({
  id: Schema.String,
  owner: OptionalText,
  /** Number of steps that wrote it: 1 if it is new. */
  revision: Schema.Int,
  /** `starting` is stored before the launch: a crash leaves a record, and never a browser without one. */
  status: Schema.Literals(browserStatuses),
  /** Session whose agent uses it; null for a browser that client code drives, and in records of older versions. */
  sessionId: OptionalText.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** Node on which it runs; null for a browser from a version without nodes. */
  node: OptionalText,
  /** When its pool stops it at the latest; null for no limit. */
  expiresAt_ms: OptionalMoment,
  stopReason: Schema.NullOr(Schema.Literals(stopReasons)),
  /** The key of its create while it starts: deleted if the launch fails. */
  idempotencyKey: OptionalText,
  proxyCountryCode: OptionalText,
  /** The domains that it may connect to; null for all, as of browsers of before there were lists. */
  allowedDomains: Schema.NullOr(Schema.Array(Schema.String)).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** The languages that it announces to pages; null for those of its server. */
  languages: Schema.NullOr(Schema.Array(Schema.String)).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** The size of its window; null for the usual one. */
  screen: Schema.NullOr(Screen).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** The time zone of its pages, as in the IANA database; null for that of its server. */
  timeZone: OptionalText.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** The user agent that it announces; null for the usual one. */
  userAgent: OptionalText.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** Texts that its creator attached; empty in browsers from a version without them. */
  metadata: Schema.Record(Schema.String, Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed({}))),
  /** True if its picture is recorded; missing in browsers from a version without recordings. */
  recording: Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(false))),
  /** The profile that it started with, and whether it saves it; null for none. */
  profile: Schema.NullOr(Schema.Struct({ id: Schema.String, mode: Schema.Literals(["write", "read"]) })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(null))
  ),
  /** Number of bytes that it had sent and received when it stopped; null before that, and if they are not counted. */
  bytes: Schema.NullOr(Schema.Int).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** The person who has control of it, and until when; null without a person, and in records of older versions. */
  driver: Schema.NullOr(Schema.Struct({ name: Schema.String, until_ms: Moment })).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(null))
  ),
  startedAt_ms: Moment,
  finishedAt_ms: OptionalMoment
})

export type Browser = typeof Browser.Type

/** A new browser, not launched yet. */
export const make = (
  fields: Pick<Browser, "id" | "proxyCountryCode" | "startedAt_ms"> &
    Partial<
      Pick<
        Browser,
        | "owner"
        | "sessionId"
        | "node"
        | "expiresAt_ms"
        | "idempotencyKey"
        | "allowedDomains"
        | "languages"
        | "metadata"
        | "profile"
        | "recording"
        | "screen"
        | "timeZone"
        | "userAgent"
      >
    >
): Browser => ({
  owner: null,
  sessionId: null,
  node: null,
  expiresAt_ms: null,
  idempotencyKey: null,
  allowedDomains: null,
  languages: null,
  screen: null,
  timeZone: null,
  userAgent: null,
  metadata: {},
  profile: null,
  recording: false,
  ...fields,
  revision: 1,
  status: "starting",
  stopReason: null,
  bytes: null,
  driver: null,
  finishedAt_ms: null
})

/** The browser after its launch. */
export const launched = (browser: Browser): Browser => ({
  ...browser,
  revision: browser.revision + 1,
  status: "active",
  idempotencyKey: null
})

/** The browser with a person who has control of it, or without one. */
export const driven = (
  browser: Browser,
  control: { readonly driver: string; readonly until_ms: number } | null
): Browser => ({
  ...browser,
  revision: browser.revision + 1,
  driver: control === null ? null : { name: control.driver, until_ms: control.until_ms }
})

/** Bytes that were sent and received, as megabytes. */
export const megabytes = (bytes: number): Decimal.Decimal => Decimal.multiply(String(bytes), "0.000001")

/** The stopped browser; a browser stops once. */
export const stop = (
  browser: Browser,
  stopReason: StopReason,
  at_ms: number,
  bytes: number | null = null
): Result.Result<Browser, InvalidTransition> =>
  browser.status === "stopped"
    ? Result.fail(invalidTransition(browser.status, "Stopped"))
    : Result.succeed({
        ...browser,
        revision: browser.revision + 1,
        status: "stopped",
        stopReason,
        bytes,
        driver: null,
        // the clock of the node that started it may be ahead
        finishedAt_ms: Math.max(at_ms, browser.startedAt_ms)
      })
