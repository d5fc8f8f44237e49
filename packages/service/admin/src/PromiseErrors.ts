/** The options of a client or of a call are wrong. The message names the option, and nothing was sent. */
export class ClientConfigError extends Error {
  override readonly name = "ClientConfigError"
  readonly _tag = "ClientConfigError"
}

/** A request doesn't fit its operation. The message names each field, and nothing was sent. */
export class InvalidRequestError extends Error {
  override readonly name = "InvalidRequestError"
  readonly _tag = "InvalidRequestError"
}

/** The server didn't respond: no connection, or no response within the timeout. It may have acted all the same. */
export class NoResponseError extends Error {
  override readonly name = "NoResponseError"
  readonly _tag = "NoResponseError"
}

/** A response that the operation doesn't describe, for example of a proxy or of another program. */
export class UnexpectedResponseError extends Error {
  override readonly name = "UnexpectedResponseError"
  readonly _tag = "UnexpectedResponseError"
  /** The response's HTTP status; missing if only its body was unexpected. */
  readonly status: number | undefined

  constructor(message: string, status?: number) {
    super(message)
    this.status = status
  }
}
