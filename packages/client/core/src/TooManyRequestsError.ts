import * as Contract from "@webagent/contract"
import * as Duration from "effect/Duration"
import { whenOf } from "./TransportError.ts"

/** 429: too many requests or runs at once. `retryAfter` is how long the answer asks to stay away, if it says. */
export class TooManyRequestsError extends Contract.TooManyRequestsError {
  readonly retryAfter: Duration.Duration | undefined
  /** The `X-Request-Id` of the call's requests. */
  readonly requestId: string | undefined

  constructor(detail: string, retryAfter: Duration.Duration | undefined, requestId?: string) {
    super({ detail })
    this.retryAfter = retryAfter
    this.requestId = requestId
  }

  override get message() {
    return `${this.detail.replace(/\.$/u, "")}: try again ${whenOf(this.retryAfter)}, or do less at once.`
  }

  /** `retryAfter` in milliseconds. */
  get retryAfter_ms(): number | undefined {
    return this.retryAfter === undefined ? undefined : Duration.toMillis(this.retryAfter)
  }
}
