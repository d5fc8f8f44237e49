/** Facts about the last response to a call. */
export interface ResponseInfo {
  readonly status: number
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The `X-Request-Id` of the call's requests. */
  readonly requestId: string
  /** Requests sent for this call. */
  readonly attempts: number
  /** From the begin of the call to this response, in milliseconds. */
  readonly duration_ms: number
}
