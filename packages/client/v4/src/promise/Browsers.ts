/// <reference lib="esnext.disposable" preserve="true" />
import type { Answer, CallOptions, CreateOptions, OpenStatus, Raw } from "@webagent/core/promise"

/** Input of a new browser. */
export interface BrowserCreate {
  /** A country in two letters. */
  readonly proxyCountryCode?: string
}

/** The response to stopping a browser. The description promises none of its fields. */
export interface UpdatedBrowser extends Raw {
  readonly id?: string
  readonly cdpUrl?: string | null
  readonly status?: "active" | "stopped" | OpenStatus
  readonly liveUrl?: string | null
  readonly recordingUrl?: string | null
  readonly proxyCountryCode?: string | null
  readonly startedAt?: string
  readonly finishedAt?: string | null
  readonly timeoutAt?: string | null
}

/** A hosted browser, controlled over the Chrome DevTools Protocol at its `cdpUrl`. It runs, and costs, until it is stopped. */
export interface Browser extends UpdatedBrowser {
  readonly id: string
  readonly cdpUrl: string
}

/** A browser that `await using` stops at the end of the block, trying for two minutes. Stopped before, it is left alone. */
export interface OwnedBrowser extends Browser {
  [Symbol.asyncDispose](): Promise<void>
}

/** Hosted browsers. Closing a CDP connection does not stop one. */
export interface Browsers {
  /**
   * Creates a browser. It is stopped by `await using`, by `stop`, or at last when the WebAgent is closed. When its
   * create is aborted it is stopped as soon as its id is known.
   */
  create(input?: BrowserCreate, options?: CreateOptions): Answer<OwnedBrowser>
  /** Stops a browser, trying again when the service cannot be reached. */
  stop(id: string, options?: CallOptions): Answer<UpdatedBrowser>
  /**
   * Runs `f` with a browser that is stopped afterwards: when `f` succeeds, fails, or the call is aborted, which aborts
   * the signal that `f` is given. The promise settles when the browser was stopped, or could not be for two minutes.
   */
  use<A>(
    input: BrowserCreate | undefined,
    f: (browser: Browser, signal: AbortSignal) => A | PromiseLike<A>,
    options?: CreateOptions
  ): Promise<A>
}
