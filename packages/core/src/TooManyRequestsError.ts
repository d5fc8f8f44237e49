import * as Contract from "@webagent/contract"
import type * as Duration from "effect/Duration"

/** 429: too many requests or runs at once. `retryAfter` is how long the answer asks to stay away, if it says. */
export class TooManyRequestsError extends Contract.TooManyRequestsError {
  readonly retryAfter: Duration.Duration | undefined

  constructor(detail: string, retryAfter: Duration.Duration | undefined) {
    super({ detail })
    this.retryAfter = retryAfter
  }
}
