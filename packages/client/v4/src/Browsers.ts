import { BrowserNotFoundError } from "@webagent/contract"
import {
  type Browser,
  type BrowserCreate,
  BrowserExtensions,
  type BrowserList,
  type BrowserListQuery,
  type UpdatedBrowser,
  V4Operations
} from "@webagent/contract/v4"
import {
  type CallError,
  type CallChoices,
  CallOptions,
  ContractClient,
  type CreateError,
  type CreateOptions,
  RequestId,
  type OperationUnavailableError,
  Pages,
  RetryPolicy,
  Trace,
  Transport
} from "@webagent/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"

/** The service has made the browser, so that its address is right. */
const mayPass = (error: unknown) => RetryPolicy.transientOf(error, true)

const isAbsent = (error: unknown) => error instanceof BrowserNotFoundError

/** Options of a list of browsers, whose pages have numbers. */
export interface BrowserListOptions extends BrowserListQuery, Omit<CallChoices, "timeout"> {}

/** Errors that listing browsers can fail with. */
export type BrowserListError = CallError | OperationUnavailableError

const make = Effect.gen(function* () {
  const { browsers: api } = yield* ContractClient.make("v4", V4Operations)
  const optional = yield* ContractClient.makeOptional("v4", "Browsers", BrowserExtensions)
  const transport = yield* Transport
  const { grace } = transport

  const create = (input: BrowserCreate = {}, options?: CreateOptions) =>
    api.create({ payload: input }).pipe(CallOptions.provide(options), Trace.span("v4.Browsers.create"))

  const patchStop = (id: string) =>
    api.update({ params: { browser_id: id }, payload: { action: "stop" } }).pipe(
      Effect.catch((error) =>
        RetryPolicy.isOddSuccess(error) ? Effect.succeed<UpdatedBrowser>({}) : Effect.fail(error)
      ),
      Effect.tap(() => transport.closed("browser", id))
    )

  /** However often it is sent, it is one call. */
  const asOneCall = <A, E>(effect: Effect.Effect<A, E>) =>
    Effect.flatMap(transport.requestId, (requestId) => RequestId.provide(requestId)(effect))

  // stopping twice is stopping: unlike a create it may be sent again
  const stop = (id: string, options?: CallChoices) =>
    asOneCall(grace.forgive(id, transport.retry(patchStop(id)), isAbsent)).pipe(
      CallOptions.provide(options),
      Trace.span("v4.Browsers.stop", { attributes: { "browser.id": id } })
    )

  const stopForSure = (id: string) =>
    CallOptions.forSure(
      asOneCall(grace.forgive(id, transport.retry(patchStop(id), mayPass), isAbsent)),
      "2 minutes"
    ).pipe(
      RetryPolicy.uninterruptible,
      Effect.asVoid,
      // not even a 404 says that it has stopped: the service may only not find it
      Effect.catch((error) =>
        Effect.logWarning(`Browser ${id} could not be stopped: it may go on at the service, and cost`, error)
      ),
      Trace.span("v4.Browsers.release", { attributes: { "browser.id": id } })
    )

  /** An answer that cannot be decoded has created a browser all the same. */
  const createOrStop = (
    input: BrowserCreate | undefined,
    options: CreateOptions | undefined,
    restore: RetryPolicy.Restore
  ) =>
    Effect.tapError(RetryPolicy.interruptible(restore, "pauses")(create(input, options)), (error) =>
      error._tag === "TransportError" && error.reason._tag === "UndecodableAnswer" && error.reason.id !== undefined
        ? stopForSure(error.reason.id)
        : Effect.void
    )

  // acquiring cannot be interrupted, but a create that is not under way can
  const acquire = (input?: BrowserCreate, options?: CreateOptions) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.acquireRelease(createOrStop(input, options, restore), (browser) => stopForSure(browser.id))
    )

  return Browsers.of({
    create,
    stop,
    get: (id, options) =>
      CallOptions.provide(options)(grace.forgive(id, optional.get({ params: { browser_id: id } }), isAbsent)),
    ...Pages.make<BrowserListQuery>()(optional.list, ({ items }) => items, Pages.nextNumber),
    acquire,
    use: (input, f, options) =>
      Effect.scopedWith((scope) => Effect.flatMap(Scope.provide(acquire(input, options), scope), f))
  })
})

/**
 * Hosted browsers, controlled over the Chrome DevTools Protocol at their `cdpUrl`. One runs, and costs, until it is
 * stopped: closing a CDP connection does not stop it.
 *
 * @example
 * ```ts
 * import { Browsers, V4 } from "@webagent/v4"
 * import * as Effect from "effect/Effect"
 *
 * export const program = Effect.gen(function* () {
 *   const browsers = yield* Browsers
 *   // stopped at the end, whatever happens in between
 *   return yield* browsers.use({ proxyCountryCode: "no" }, (browser) => Effect.succeed(browser.cdpUrl))
 * }).pipe(Effect.provide(V4.layer()))
 * ```
 */
export class Browsers extends Context.Service<
  Browsers,
  {
    /**
     * Creates a browser, which costs money until you stop it. Prefer `use` or `acquire`, which stop it.
     *
     * @throws `CreateOutcomeUnknown` if the response to the create request was lost.
     * @throws `TransportError` if the service can't be reached, and errors of the service such as `UnauthorizedError`.
     */
    readonly create: (input?: BrowserCreate, options?: CreateOptions) => Effect.Effect<Browser, CreateError>
    /**
     * Stops a browser. The request is retried if the service can't be reached.
     *
     * @throws `BrowserNotFoundError` if the service has no browser with this id. For 5 seconds after a create, it's retried.
     */
    readonly stop: (
      id: string,
      options?: CallChoices
    ) => Effect.Effect<UpdatedBrowser, BrowserNotFoundError | CallError>
    /**
     * Reads a browser.
     *
     * @throws `BrowserNotFoundError` if the service has no browser with this id, and `OperationUnavailableError` if it
     *   can't read single browsers.
     */
    readonly get: (
      id: string,
      options?: CallChoices
    ) => Effect.Effect<UpdatedBrowser, BrowserNotFoundError | BrowserListError>
    /**
     * Lists browsers, newest first. Pages are read while you take browsers from the stream.
     *
     * @param options - `filterBy` is a status, such as `active`. `pageSize` is the number of browsers per page, from 1
     *   to 100, and `pageNumber` the page to start with.
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
    /** Reads one page of `list`. `totalItems` is the number of browsers on all pages. */
    readonly listPage: (options?: BrowserListOptions & CallChoices) => Effect.Effect<BrowserList, BrowserListError>
    /**
     * Creates a browser that is stopped when the scope closes: on success, failure and interruption.
     *
     * If it can't be stopped for 2 minutes, a warning with its id is logged.
     */
    readonly acquire: (
      input?: BrowserCreate,
      options?: CreateOptions
    ) => Effect.Effect<Browser, CreateError, Scope.Scope>
    /**
     * Creates a browser, runs `f` with it, and stops the browser, whether `f` succeeds, fails or is interrupted.
     *
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
      options?: CreateOptions
    ) => Effect.Effect<A, E | CreateError, R>
  }
>()("@webagent/v4/Browsers") {
  static readonly layer: Layer.Layer<Browsers, never, Transport> = Layer.effect(this, make)
}
