import * as Data from "effect/Data"

/** No session has this id. */
export class SessionNotFound extends Data.TaggedError("SessionNotFound")<{ readonly id: string }> {}

/** The session is stopped and takes no more messages. */
export class SessionStopped extends Data.TaggedError("SessionStopped")<{ readonly id: string }> {}

/** The session is active, or its agent has not stopped working yet. */
export class SessionBusy extends Data.TaggedError("SessionBusy")<{ readonly id: string }> {}

/** No turn has this id. */
export class TurnNotFound extends Data.TaggedError("TurnNotFound")<{ readonly id: string }> {}

/** No browser has this id. */
export class BrowserNotFound extends Data.TaggedError("BrowserNotFound")<{ readonly id: string }> {}

/** The browser was stopped; nothing connects to it any more. */
export class BrowserStopped extends Data.TaggedError("BrowserStopped")<{ readonly id: string }> {}

/** Browsers have no proxy in this country. */
export class CountryUnavailable extends Data.TaggedError("CountryUnavailable")<{ readonly country: string }> {}

/** Browsers of this pool run for a shorter time at most. */
export class LifetimeTooLong extends Data.TaggedError("LifetimeTooLong")<{ readonly most_ms: number }> {}

/** Browsers of this server can't use profiles. The message says why, and what to do. */
export class ProfileUnusable extends Data.TaggedError("ProfileUnusable")<{ readonly message: string }> {}

/** The turn doesn't wait for this answer: it is over, another person answered first, or the time is over. */
export class NotWaiting extends Data.TaggedError("NotWaiting")<{ readonly id: string }> {}

/** The answer isn't one of the question's choices. */
export class NotAChoice extends Data.TaggedError("NotAChoice")<{ readonly choices: ReadonlyArray<string> }> {}

/** The answer is no amount above the turn's cost limit, in USD, and doesn't end the turn either. */
export class NotRaised extends Data.TaggedError("NotRaised")<{ readonly limit: string | null }> {}

/** This turn can't ask a question at the moment. The message has the reason. */
export class NotAsked extends Data.TaggedError("NotAsked")<{ readonly message: string }> {}

/** The turn can't be replayed. The message has the reason, and what to do. */
export class NotReplayable extends Data.TaggedError("NotReplayable")<{ readonly message: string }> {}

/** The idempotency key was used before, for another body. */
export class IdempotencyKeyReused extends Data.TaggedError("IdempotencyKeyReused") {}

/** A limit of an API key that doesn't allow one more. */
export interface LimitReached {
  readonly of: "browsers" | "requestsPerMinute" | "runs" | "usdPerDay"
  readonly most: number
  readonly used: number
}

/** A create exceeds a limit of its caller. Nothing was written. */
export class AdmissionRefused extends Data.TaggedError("AdmissionRefused")<{
  readonly message: string
  /** The key's limit; missing for other reasons. */
  readonly limit?: LimitReached
  /** Delay before a retry may be admitted. */
  readonly retryAfter_ms: number
}> {}
