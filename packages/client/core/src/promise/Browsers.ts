/// <reference lib="esnext.disposable" preserve="true" />
import type { BrowserOptions } from "@webagent/contract/Options"
import type { Answer, CallOptions, CreateOptions, OpenStatus, Raw } from "./Options.ts"

/** Input of a new browser. */
export interface BrowserCreate extends BrowserOptions {
  /** A country in two letters; null for no proxy. */
  readonly proxyCountryCode?: string | null
}

/** The response to stopping a browser. The description promises none of its fields. */
export interface UpdatedBrowser extends Raw {
  readonly id?: string
  readonly cdpUrl?: string | null
  readonly status?: "active" | "stopped" | OpenStatus
  readonly liveUrl?: string | null
  readonly recordingUrl?: string | null
  /** False if the browser isn't recorded, so that no `recordingUrl` will ever come. */
  readonly recordingAvailable?: boolean
  readonly proxyCountryCode?: string | null
  readonly startedAt?: string
  readonly finishedAt?: string | null
  readonly timeoutAt?: string | null
  /** A decimal number in MB. */
  readonly proxyUsedMb?: string
  /** A decimal number in USD. */
  readonly proxyCost?: string
  /** A decimal number in USD. */
  readonly browserCost?: string
  readonly agentSessionId?: string | null
  readonly metadata?: { readonly [name: string]: string }
}

/** A page of browsers, newest first. */
export interface BrowserPage extends Raw {
  readonly items: ReadonlyArray<UpdatedBrowser>
  /** Number of browsers on all pages. */
  readonly totalItems?: number
  readonly pageNumber?: number
  readonly pageSize?: number
}

/** Options of a list of browsers, whose pages have numbers. */
export interface BrowserListOptions extends Omit<CallOptions, "timeout"> {
  /** Lists browsers with this status. */
  readonly filterBy?: "active" | "stopped" | OpenStatus | undefined
  /** Lists the browsers of one session. */
  readonly agentSessionId?: string | undefined
  /** Number of browsers per page, from 1 to 100; by default, as the service decides. */
  readonly pageSize?: number | undefined
  /** The page to start with; 1 by default. */
  readonly pageNumber?: number | undefined
}

/** A hosted browser, controlled over the Chrome DevTools Protocol at its `cdpUrl`. It runs, and costs, until it is stopped. */
export interface Browser extends UpdatedBrowser {
  readonly id: string
  readonly cdpUrl: string
}

/** A browser that `await using` stops at the end of the block, trying for two minutes. Stopped before, it is left alone. */
export interface OwnedBrowser extends Browser {
  /**
   * Stops the browser at the end of an `await using` block.
   *
   * @returns A promise that resolves once the browser is stopped. Stopping is tried for 2 minutes.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   *
   * export const address = async (agent: WebAgent) => {
   *   await using browser = await agent.browsers.create()
   *   return browser.cdpUrl
   * }
   * ```
   */
  [Symbol.asyncDispose](): Promise<void>
}

/** Hosted browsers. Closing a CDP connection does not stop one. */
export interface Browsers {
  /**
   * Creates a browser. `await using`, `stop` or closing the WebAgent stops it; until then it costs money.
   *
   * @param input - The country of its proxy, its profile and other settings; by default, those of the service.
   * @param options - An idempotency key, and headers and retries of this call.
   * @returns The browser with its `cdpUrl`.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   * @throws `TransportError` if the service can't be reached, and errors of the service such as `UnauthorizedError`.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * export const main = async (agent: WebAgent) => {
   *   await using browser = await agent.browsers.create()
   *   console.log(browser.cdpUrl)
   * }
   * ```
   */
  create(input?: BrowserCreate, options?: CreateOptions): Answer<OwnedBrowser>
  /**
   * Stops a browser. The request is retried if the service can't be reached.
   *
   * @param id - The id of the browser.
   * @param options - A signal, and headers and retries of this call.
   * @returns The browser as the service shows it after the request, with its costs in USD.
   * @throws `BrowserNotFoundError` if the service has no browser with this id.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   *
   * export const cost_usd = async (agent: WebAgent, id: string) => (await agent.browsers.stop(id)).browserCost
   * ```
   */
  stop(id: string, options?: CallOptions): Answer<UpdatedBrowser>
  /**
   * Reads a browser.
   *
   * @param id - The id of the browser.
   * @param options - A signal, and headers and retries of this call.
   * @returns The browser as it is now. The description promises none of its fields.
   * @throws `BrowserNotFoundError` if the service has no browser with this id, and `OperationUnavailableError` if it
   *   can't read single browsers.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   *
   * export const isRunning = async (agent: WebAgent, id: string) => (await agent.browsers.get(id)).status === "active"
   * ```
   */
  get(id: string, options?: CallOptions): Answer<UpdatedBrowser>
  /**
   * Lists browsers, newest first. Pages are read while you iterate.
   *
   * @param options - `filterBy` is a status, such as `active`. `pageSize` is the number of browsers per page, from 1 to
   *   100, and `pageNumber` the page to start with.
   * @returns An iterable of browsers. Each page is one request.
   * @throws `OperationUnavailableError` if the service doesn't list browsers.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   *
   * export const stopAll = async (agent: WebAgent) => {
   *   for await (const { id = "" } of agent.browsers.list({ filterBy: "active" })) await agent.browsers.stop(id)
   * }
   * ```
   */
  list(options?: BrowserListOptions): AsyncIterable<UpdatedBrowser>
  /**
   * Reads one page of `list`.
   *
   * @param options - The same as for `list`, and a `timeout`.
   * @returns The browsers of the page. `totalItems` is the number of browsers on all pages.
   * @throws `OperationUnavailableError` if the service doesn't list browsers.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   *
   * export const running = async (agent: WebAgent) =>
   *   (await agent.browsers.listPage({ filterBy: "active", pageSize: 1 })).totalItems
   * ```
   */
  listPage(options?: BrowserListOptions & CallOptions): Answer<BrowserPage>
  /**
   * Creates a browser, runs `f` with it, and stops the browser, even if `f` throws or the call is aborted.
   *
   * @param input - The country of its proxy, its profile and other settings. Undefined for those of the service.
   * @param f - Receives the browser, and a signal that is aborted with the call.
   * @param options - An idempotency key, a signal, and headers and retries of this call.
   * @returns The result of `f`, once the browser is stopped. Stopping is tried for 2 minutes.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost, and the errors of `f`.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   *
   * export const withBrowser = (agent: WebAgent, drive: (cdpUrl: string, signal: AbortSignal) => Promise<string>) =>
   *   agent.browsers.use({ proxyCountryCode: "no" }, ({ cdpUrl }, signal) => drive(cdpUrl, signal))
   * ```
   */
  use<A>(
    input: BrowserCreate | undefined,
    f: (browser: Browser, signal: AbortSignal) => A | PromiseLike<A>,
    options?: CreateOptions
  ): Promise<A>
}
