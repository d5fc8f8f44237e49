/** A request by its plain values. */
export interface PlainRequest {
  readonly method: string
  /** Relative to the address of a version; a query may follow. */
  readonly url: string
  /** By their names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: Uint8Array | undefined
}

/** The same of a call, with the id that all its requests carry. */
export interface CallRequest extends PlainRequest {
  readonly requestId: string
}

/** A request that is ready to be sent, and what to call it in errors. */
export interface Outgoing {
  readonly method: string
  readonly url: string
  /** All but the key: what errors, spans and responses may show. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  readonly requestId: string
  /** Which attempt of its call it is, from 1. */
  readonly attempt: number
}
