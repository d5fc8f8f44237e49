import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Decimal from "./Decimal.ts"
import { Screen } from "./Screen.ts"
import { Moment, OptionalMoment, OptionalText } from "./Fields.ts"
import { invalidTransition, type InvalidTransition } from "./InvalidTransition.ts"

/** Statuses of a session. */
export const sessionStatuses = ["active", "stopped"] as const

/** A session: turns that run one after the other in one browser. */
export const Session = Schema.Struct({
  id: Schema.String,
  owner: OptionalText,
  /** Number of steps that wrote it, or one of its turns: 1 if it is new. */
  revision: Schema.Int,
  /** Who works on it. `token` is the revision of the step that took it: a later lease has a higher one. */
  lease: Schema.NullOr(Schema.Struct({ node: Schema.String, token: Schema.Int, turnId: Schema.String })),
  /** Number of all its turns so far. */
  turnCount: Schema.Int,
  /** Since when it is active with nothing to do; null while a turn is not over, or an agent has not let go. */
  idleSince_ms: OptionalMoment,
  /** The browser of its agent; none before first use. */
  browserId: OptionalText,
  status: Schema.Literals(sessionStatuses),
  thinkingLevel: OptionalText,
  /** Model parameters of its first turn, which its follow-ups also use. Missing in sessions from older versions. */
  modelParams: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(null))
  ),
  /** True if the session continues after all its turns are terminal. */
  keepAlive: Schema.Boolean,
  persistMemory: Schema.Boolean,
  recording: Schema.Boolean,
  /** The profile that its browsers start with; null for none, as in sessions from older versions. */
  profileId: OptionalText.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
  /** Settings of its browsers besides their profile; missing where all are those of the server. */
  browser: Schema.optionalKey(
    Schema.Struct({
      proxyCountryCode: Schema.optionalKey(Schema.String),
      screen: Schema.optionalKey(Screen),
      languages: Schema.optionalKey(Schema.Array(Schema.String)),
      timeZone: Schema.optionalKey(Schema.String),
      userAgent: Schema.optionalKey(Schema.String)
    })
  ),
  /** True if its link shows it without an API key. */
  shared: Schema.Boolean,
  proxyUsedMb: Schema.String,
  proxyCost: Schema.String,
  createdAt_ms: Moment,
  finishedAt_ms: OptionalMoment
})

export type Session = typeof Session.Type

/** Settings of a session beyond its turns. */
export type SessionSettings = Pick<Session, "keepAlive" | "persistMemory" | "recording">

/** Event of a session. */
export type SessionEvent =
  | {
      readonly _tag: "Adjusted"
      readonly settings?: Partial<SessionSettings>
      readonly proxyUsedMb?: Decimal.Decimal
    }
  | { readonly _tag: "Stopped" }

/** USD for a megabyte through a proxy that an agent tells of. What this server's own proxy carries costs nothing. */
const proxyPrice = "0.008"

/** A new session, active, with the defaults of the service description. */
export const make = (fields: Pick<Session, "id" | "thinkingLevel" | "createdAt_ms"> & Partial<Session>): Session => ({
  id: "",
  owner: null,
  revision: 1,
  lease: null,
  turnCount: 0,
  idleSince_ms: null,
  browserId: null,
  status: "active",
  thinkingLevel: null,
  modelParams: null,
  keepAlive: true,
  persistMemory: true,
  recording: false,
  profileId: null,
  shared: false,
  proxyUsedMb: "0",
  proxyCost: "0",
  createdAt_ms: 0,
  finishedAt_ms: null,
  ...(fields as Partial<Session>)
})

/** The session after the event; a stopped session refuses every event, and the answer says which. */
export const move = (
  session: Session,
  event: SessionEvent,
  at_ms: number
): Result.Result<Session, InvalidTransition> => {
  if (session.status === "stopped") {
    return Result.fail(invalidTransition(session.status, event._tag))
  }
  if (event._tag === "Stopped") {
    // the clock of the node that created it may be ahead
    return Result.succeed({ ...session, status: "stopped", finishedAt_ms: Math.max(at_ms, session.createdAt_ms) })
  }
  const { proxyUsedMb, settings } = event
  if (proxyUsedMb === undefined) return Result.succeed({ ...session, ...settings })
  return Result.succeed({
    ...session,
    ...settings,
    proxyUsedMb: Decimal.add(session.proxyUsedMb, proxyUsedMb),
    proxyCost: Decimal.add(session.proxyCost, Decimal.multiply(proxyUsedMb, proxyPrice))
  })
}
