import * as Contract from "@webagent/contract"
import * as Duration from "effect/Duration"
import { whenOf } from "./TransportError.ts"

/**
 * 429: too many requests or runs at once. `retryAfter` is the pause that the response asks for, if it does.
 *
 * A create that fails with it has created nothing, unless the service may act before it refuses: for such a service,
 * set `target.refusals` to `after-acting`.
 */
export class TooManyRequestsError extends Contract.TooManyRequestsError {
  readonly retryAfter: Duration.Duration | undefined
  /** The `X-Request-Id` of the call's requests. */
  readonly requestId: string | undefined
  /** The `Idempotency-Key` of a refused create; undefined for other calls. Send it again with the same key. */
  readonly key: string | undefined = undefined

  constructor(detail: string, retryAfter: Duration.Duration | undefined, requestId?: string) {
    super({ detail })
    this.retryAfter = retryAfter
    this.requestId = requestId
  }

  override get message() {
    return `${this.detail.replace(/\.$/u, "")}: try again ${whenOf(this.retryAfter)}, or do less at once.`
  }

  /**
   * Adds the key of the refused create, so that a caller can send it again with the same key.
   *
   * @param key - The idempotency key of the create.
   * @returns Nothing.
   * @example
   * ```ts
   * import { TooManyRequestsError } from "@webagent/core"
   * import * as Duration from "effect/Duration"
   *
   * const error = new TooManyRequestsError("Too many runs", Duration.seconds(5))
   * error.refused("order-7")
   * console.log(error.key) // order-7
   * ```
   */
  refused(key: string): void {
    const message = `${this.message} Idempotency key ${JSON.stringify(key)}.`
    Object.defineProperty(Object.assign(this, { key }), "message", {
      value: message,
      writable: true,
      configurable: true
    })
  }

  /** `retryAfter` in milliseconds. */
  get retryAfter_ms(): number | undefined {
    return this.retryAfter === undefined ? undefined : Duration.toMillis(this.retryAfter)
  }
}
