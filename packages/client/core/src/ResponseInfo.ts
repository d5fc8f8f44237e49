/** What is known of the response that a call got last. */
export interface ResponseInfo {
  readonly status: number
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** What the call's requests carried as `X-Request-Id`. */
  readonly requestId: string
  /** Requests sent for this call. */
  readonly attempts: number
  /** From the begin of the call to this response, in milliseconds. */
  readonly duration_ms: number
}
