/** One request of a call, as hooks are told it. */
export interface RequestEvent {
  readonly method: string
  /** The address without its query. */
  readonly url: string
  /** The `X-Request-Id` of the call's requests. */
  readonly requestId: string
  /** Which request of its call it is, from 1. */
  readonly attempt: number
}

/** The end of a request: its `status`, or in `error` the reason why there is no response, such as `Timeout`. */
export interface ResponseEvent extends RequestEvent {
  readonly status: number | undefined
  readonly error: string | undefined
  readonly duration_ms: number
}

/** One poll of a wait that was answered. */
export interface PollEvent {
  /** The kind of resource that is waited for: `run`, `session`. */
  readonly kind: string
  readonly id: string
  readonly status: string | undefined
}

/** Functions that are told what a client does, for logging and metrics. One that throws is ignored. */
export interface Hooks {
  readonly onRequest?: ((event: RequestEvent) => void) | undefined
  readonly onResponse?: ((event: ResponseEvent) => void) | undefined
  /** Before a request is sent again. */
  readonly onRetry?: ((event: RequestEvent) => void) | undefined
  readonly onPoll?: ((event: PollEvent) => void) | undefined
}

/** Tells a hook, if there is one: a hook that throws, at once or later, is no reason to lose an answer. */
export const tell = <Event>(hook: ((event: Event) => unknown) | undefined, event: Event): void => {
  if (hook !== undefined) new Promise((resolve) => resolve(hook(event))).catch(() => undefined)
}
