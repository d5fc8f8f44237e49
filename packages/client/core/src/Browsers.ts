import { BrowserNotFoundError } from "@webagent/contract"
import {
  AllBrowserOperations,
  type Browser,
  type BrowserCreate,
  type BrowserExtensions,
  type BrowserList,
  type BrowserListQuery,
  type UpdatedBrowser
} from "@webagent/contract/Resources"
import type { ApiVersion } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import * as CallOptions from "./CallOptions.ts"
import * as ContractClient from "./ContractClient.ts"
import * as Leaving from "./Leaving.ts"
import type { OperationUnavailableError } from "./OperationUnavailableError.ts"
import * as Pages from "./Pages.ts"
import * as RequestId from "./RequestId.ts"
import * as RetryPolicy from "./RetryPolicy.ts"
import * as Trace from "./Trace.ts"
import { Transport } from "./Transport.ts"
import { TransportError } from "./TransportError.ts"

/** Errors that listing browsers can fail with. */
export type BrowserListError = ContractClient.CallError | OperationUnavailableError

/** Errors that an operation on a browser can fail with. */
export type BrowserError = BrowserNotFoundError | BrowserListError

/** Options of a list of browsers, whose pages have numbers. */
export interface BrowserListOptions extends BrowserListQuery, Omit<CallOptions.CallOptions, "timeout"> {}

/** The operations on browsers. `Lacking` is the error of a service without creates and stops, which v4 always has. */
export interface BrowserCalls<Lacking = OperationUnavailableError> {
  /**
   * Creates a browser, which costs money until you stop it. Prefer `use` or `acquire`, which stop it.
   *
   * @param input - The country of its proxy, its profile and other settings; by default, those of the service.
   * @param options - An idempotency key, and headers and retries of this call.
   * @returns The browser with its `cdpUrl`.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   * @throws `TransportError` if the service can't be reached, and errors of the service such as `UnauthorizedError`.
   * @example
   * ```ts
   * import { Browsers } from "@webagent/v4"
   *
   * export const program = Browsers.use((browsers) => browsers.create({ proxyCountryCode: "no" }))
   * ```
   */
  readonly create: (
    input?: BrowserCreate,
    options?: CallOptions.CreateOptions
  ) => Effect.Effect<Browser, ContractClient.CreateError | Lacking>
  /**
   * Stops a browser. The request is retried if the service can't be reached.
   *
   * @param id - The id of the browser.
   * @param options - Headers, a request id and retries of this call.
   * @returns The browser as the service shows it after the request, with its costs in USD.
   * @throws `BrowserNotFoundError` if the service has no browser with this id. For 5 seconds after a create, it's retried.
   * @example
   * ```ts
   * import { Browsers } from "@webagent/v4"
   *
   * export const program = Browsers.use((browsers) => browsers.stop("5f2e"))
   * ```
   */
  readonly stop: (
    id: string,
    options?: CallOptions.CallOptions
  ) => Effect.Effect<UpdatedBrowser, BrowserNotFoundError | ContractClient.CallError | Lacking>
  /**
   * Reads a browser.
   *
   * @param id - The id of the browser.
   * @param options - Headers, a request id and retries of this call.
   * @returns The browser as it is now. The description promises none of its fields.
   * @throws `BrowserNotFoundError` if the service has no browser with this id, and `OperationUnavailableError` if it
   *   can't read single browsers.
   * @example
   * ```ts
   * import { Browsers } from "@webagent/v4"
   *
   * export const program = Browsers.use((browsers) => browsers.get("5f2e"))
   * ```
   */
  readonly get: (id: string, options?: CallOptions.CallOptions) => Effect.Effect<UpdatedBrowser, BrowserError>
  /**
   * Lists browsers, newest first. Pages are read while you take browsers from the stream.
   *
   * @param options - `filterBy` is a status, such as `active`. `pageSize` is the number of browsers per page, from 1
   *   to 100, and `pageNumber` the page to start with.
   * @returns A stream of browsers. Each page is one request.
   * @throws `OperationUnavailableError` if the service doesn't list browsers.
   * @example
   * ```ts
   * import { Browsers } from "@webagent/v4"
   * import * as Effect from "effect/Effect"
   * import * as Stream from "effect/Stream"
   *
   * export const running = Browsers.use((browsers) => Stream.runCollect(browsers.list({ filterBy: "active" })))
   * ```
   */
  readonly list: (options?: BrowserListOptions) => Stream.Stream<UpdatedBrowser, BrowserListError>
  /**
   * Reads one page of `list`.
   *
   * @param options - The same as for `list`, and a `timeout`.
   * @returns The browsers of the page. `totalItems` is the number of browsers on all pages.
   * @throws `OperationUnavailableError` if the service doesn't list browsers.
   * @example
   * ```ts
   * import { Browsers } from "@webagent/v4"
   * import * as Effect from "effect/Effect"
   *
   * export const running = Browsers.use((browsers) =>
   *   Effect.map(browsers.listPage({ filterBy: "active", pageSize: 1 }), ({ totalItems }) => totalItems)
   * )
   * ```
   */
  readonly listPage: (
    options?: BrowserListOptions & CallOptions.CallOptions
  ) => Effect.Effect<BrowserList, BrowserListError>
  /**
   * Creates a browser that is stopped when the scope closes: on success, failure and interruption.
   *
   * If it can't be stopped for 2 minutes, a warning with its id is logged.
   *
   * @param input - The country of its proxy, its profile and other settings; by default, those of the service.
   * @param options - An idempotency key, and headers and retries of this call.
   * @returns The browser with its `cdpUrl`.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
   * @example
   * ```ts
   * import { Browsers } from "@webagent/v4"
   * import * as Effect from "effect/Effect"
   *
   * export const program = Effect.scoped(
   *   Effect.gen(function* () {
   *     const browsers = yield* Browsers
   *     const [buyer, seller] = [yield* browsers.acquire(), yield* browsers.acquire()]
   *     yield* Effect.log(buyer.cdpUrl, seller.cdpUrl)
   *   })
   * )
   * ```
   */
  readonly acquire: (
    input?: BrowserCreate,
    options?: CallOptions.CreateOptions
  ) => Effect.Effect<Browser, ContractClient.CreateError | Lacking, Scope.Scope>
  /**
   * Creates a browser, runs `f` with it, and stops the browser, whether `f` succeeds, fails or is interrupted.
   *
   * @param input - The country of its proxy, its profile and other settings. Undefined for those of the service.
   * @param f - Receives the browser.
   * @param options - An idempotency key, and headers and retries of this call.
   * @returns The result of `f`, once the browser is stopped. Stopping is tried for 2 minutes.
   * @throws `CreateOutcomeUnknown` if the response to the create request was lost, and the errors of `f`.
   * @example
   * ```ts
   * import { Browsers } from "@webagent/v4"
   * import * as Effect from "effect/Effect"
   *
   * export const program = Browsers.use((browsers) =>
   *   browsers.use({ proxyCountryCode: "no" }, (browser) => Effect.log(browser.cdpUrl))
   * )
   * ```
   */
  readonly use: <A, E, R>(
    input: BrowserCreate | undefined,
    f: (browser: Browser) => Effect.Effect<A, E, R>,
    options?: CallOptions.CreateOptions
  ) => Effect.Effect<A, E | ContractClient.CreateError | Lacking, R>
}

/** The input of a call for one browser. */
interface OfBrowser {
  readonly params: { readonly browser_id: string }
}

/** The calls of a version that operations on browsers are made of. */
interface Calls<Lacking> extends ContractClient.Optional<Pick<typeof BrowserExtensions, "get" | "list">> {
  readonly create: BrowserCalls<Lacking>["create"]
  readonly update: (
    request: OfBrowser & { readonly payload: { readonly action: "stop" } }
  ) => ReturnType<BrowserCalls<Lacking>["stop"]>
}

/** The service has made the browser, so that its address is right. */
const mayPass = (error: unknown) => RetryPolicy.transientOf(error, true)

const isAbsent = (error: unknown) => error instanceof BrowserNotFoundError

const ofBrowser = (id: string): OfBrowser => ({ params: { browser_id: id } })

/**
 * Makes the operations on browsers of a version from its calls.
 *
 * @param version - The API version, for the names of spans.
 * @param calls - The calls that create, read, list and update browsers.
 * @returns The operations. Their scope also accounts for browsers that are running when the program is interrupted.
 * @example
 * ```ts
 * import { BrowserExtensions, V4Operations } from "@webagent/contract/v4"
 * import { Browsers, CallOptions, ContractClient } from "@webagent/core"
 * import * as Effect from "effect/Effect"
 *
 * export const browsers = Effect.gen(function* () {
 *   const { create, update } = (yield* ContractClient.make("v4", V4Operations)).browsers
 *   return yield* Browsers.make<never>("v4", {
 *     ...(yield* ContractClient.makeOptional("v4", "Browsers", BrowserExtensions)),
 *     create: (input = {}, options) => create({ payload: input }).pipe(CallOptions.provide(options)),
 *     update
 *   })
 * })
 * ```
 */
export const make = <Lacking>(
  version: ApiVersion,
  { create, get, list, update }: Calls<Lacking>
): Effect.Effect<BrowserCalls<Lacking>, never, Transport | Scope.Scope> =>
  Effect.gen(function* () {
    const transport = yield* Transport
    const { grace } = transport

    const patchStop = (id: string) =>
      update({ ...ofBrowser(id), payload: { action: "stop" } }).pipe(
        Effect.catch((error) =>
          RetryPolicy.isOddSuccess(error) ? Effect.succeed<UpdatedBrowser>({}) : Effect.fail(error)
        ),
        Effect.tap(transport.closed("browser", id))
      )

    // stopping twice is stopping: unlike a create it may be sent again. However often it is sent, it is one call
    const stopAs = (name: string, id: string, transient?: typeof mayPass) =>
      Effect.flatMap(transport.requestId, (requestId) =>
        RequestId.provide(requestId)(grace.forgive(id, transport.retry(patchStop(id), transient), isAbsent))
      ).pipe(Trace.span(`${version}.Browsers.${name}`, { attributes: { "browser.id": id } }))

    const stop: BrowserCalls<Lacking>["stop"] = (id, options) => CallOptions.provide(options)(stopAs("stop", id))

    const stopForSure = (id: string) =>
      CallOptions.forSure(stopAs("release", id, mayPass), "2 minutes").pipe(
        RetryPolicy.uninterruptible,
        // not even a 404 says that it has stopped: the service may only not find it
        Effect.catch((error) =>
          Effect.logWarning(`Browser ${id} could not be stopped: it may continue and cost money`, error)
        )
      )

    /** An answer that cannot be decoded has created a browser all the same. */
    const createOrStop = (
      input: BrowserCreate | undefined,
      options: CallOptions.CreateOptions | undefined,
      restore: RetryPolicy.Restore
    ) =>
      Effect.tapError(RetryPolicy.interruptible(restore, "pauses")(create(input, options)), (error) =>
        error instanceof TransportError && error.reason._tag === "UndecodableAnswer" && error.reason.id !== undefined
          ? stopForSure(error.reason.id)
          : Effect.void
      )

    // acquiring cannot be interrupted, but a create that is not under way can
    const acquire: BrowserCalls<Lacking>["acquire"] = (input, options) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.acquireRelease(createOrStop(input, options, restore), (browser) => stopForSure(browser.id))
      )

    yield* Leaving.onInterrupt("browser", (id) => CallOptions.forSure(stop(id)))

    return {
      create,
      stop,
      get: (id, options) => CallOptions.provide(options)(grace.forgive(id, get(ofBrowser(id)), isAbsent)),
      ...Pages.make<BrowserListQuery>()(list, ({ items }) => items, Pages.nextNumber),
      acquire,
      use: (input, f, options) =>
        Effect.scopedWith((scope) => Effect.flatMap(Scope.provide(acquire(input, options), scope), f))
    }
  })

/**
 * Makes the operations on browsers of a version whose description doesn't show any.
 *
 * @param version - The API version.
 * @returns The operations. They fail with `OperationUnavailableError` if the service doesn't offer them.
 * @example
 * ```ts
 * import { Browsers } from "@webagent/core"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.scoped(
 *   Effect.flatMap(Browsers.makeOptional("v3"), (browsers) =>
 *     browsers.use(undefined, ({ cdpUrl }) => Effect.log(cdpUrl))
 *   )
 * )
 * ```
 */
export const makeOptional = (version: ApiVersion): Effect.Effect<BrowserCalls, never, Transport | Scope.Scope> => {
  const { create, get, list, update } = AllBrowserOperations
  return Effect.flatMap(ContractClient.makeOptional(version, "Browsers", { create, get, list, update }), (calls) =>
    make(version, {
      ...calls,
      create: (input = {}, options) => calls.create({ payload: input }, options),
      update: (request) => calls.update(request)
    })
  )
}
