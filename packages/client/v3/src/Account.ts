import { WorkspaceList as WorkspaceListSchema } from "@webagent/contract/Resources"
import type { ProfileList, Workspace, WorkspaceList } from "@webagent/contract/v3"
import { v3Extensions } from "@webagent/contract/Wire"
import {
  type BrowserCalls,
  Browsers as SharedBrowsers,
  type CallChoices,
  type CallError,
  type OperationUnavailableError,
  Pages,
  type Transport
} from "@webagent/core"
import * as Shared from "@webagent/core/account"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"

export { BrowserNotFoundError, ProfileNotFoundError, WorkspaceNotFoundError } from "@webagent/contract"
export type {
  Browser,
  BrowserCreate,
  BrowserList,
  BrowserListQuery,
  UpdatedBrowser,
  WorkspaceList
} from "@webagent/contract/v3"
export type { BrowserCalls, BrowserError, BrowserListError, BrowserListOptions } from "@webagent/core"
export type * from "@webagent/core/account/Types"

/** The query of a list of profiles, whose pages have numbers. */
export interface ProfileQuery {
  /** A part of the names, in any case. */
  readonly query?: string
  /** Number of profiles per page, from 1 to 100. */
  readonly page_size?: number
  /** The page to start with; 1 by default. */
  readonly page?: number
}

/** Continues at the next number, under the names that v3 has for it. */
const nextProfiles = (read: ProfileList, query: ProfileQuery): ProfileQuery | undefined => {
  const { page = 1, page_size = read.items.length } = query
  const next = Pages.nextNumber(read, { pageNumber: page, pageSize: page_size })
  return next === undefined ? undefined : { ...query, page: page + 1 }
}

/** Browser profiles: names for browser state, such as cookies, that later browsers can start with. */
export class Profiles extends Context.Service<Profiles, Shared.ProfileCalls<ProfileQuery>>()("@webagent/v3/Profiles") {
  static readonly make: Effect.Effect<Shared.ProfileCalls<ProfileQuery>, never, Transport> = Shared.Profiles.make(
    "v3",
    nextProfiles
  )
  static readonly layer: Layer.Layer<Profiles, never, Transport> = Layer.effect(this, this.make)
}

/** The query of a list of workspaces, whose pages have numbers. */
export interface WorkspaceQuery {
  /** Number of workspaces per page, from 1 to 100. */
  readonly pageSize?: number
  /** The page to start with; 1 by default. */
  readonly pageNumber?: number
}

/** The list of workspaces, which v4 doesn't have. */
export interface WorkspaceLists {
  /**
   * Lists workspaces, newest first. Pages are read while you take workspaces from the stream.
   *
   * @param options - The query of the list, and headers and retries of its requests.
   * @returns A stream of workspaces. Each page is one request.
   * @throws `OperationUnavailableError` if the service has no workspaces.
   * @example
   * ```ts
   * import { Workspaces } from "@webagent/v3/account"
   * import * as Stream from "effect/Stream"
   *
   * export const all = Workspaces.use((workspaces) => Stream.runCollect(workspaces.list()))
   * ```
   */
  readonly list: (
    options?: WorkspaceQuery & Omit<CallChoices, "timeout">
  ) => Stream.Stream<Workspace, CallError | OperationUnavailableError>
  /**
   * Reads one page of `list`.
   *
   * @param options - The same as for `list`, and a `timeout`.
   * @returns The workspaces of the page. `totalItems` is the number of workspaces on all pages.
   * @throws `OperationUnavailableError` if the service has no workspaces.
   * @example
   * ```ts
   * import { Workspaces } from "@webagent/v3/account"
   *
   * export const newest = Workspaces.use((workspaces) => workspaces.listPage({ pageSize: 10 }))
   * ```
   */
  readonly listPage: (
    options?: WorkspaceQuery & CallChoices
  ) => Effect.Effect<WorkspaceList, CallError | OperationUnavailableError>
}

const makeWorkspaces = Effect.gen(function* () {
  const calls = yield* Shared.Workspaces.make("v3")
  const { list } = yield* Shared.Optional.make("v3", "Workspaces", {
    list: { ...v3Extensions.listWorkspaces, success: WorkspaceListSchema }
  })
  return { ...calls, ...Pages.make<WorkspaceQuery>()(list, ({ items }) => items, Pages.nextNumber) }
})

/**
 * Workspaces: files that several sessions can use.
 *
 * @example
 * ```ts
 * import { V3 } from "@webagent/v3"
 * import { Workspaces } from "@webagent/v3/account"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * export const program = Effect.gen(function* () {
 *   const workspaces = yield* Workspaces
 *   const { id } = yield* workspaces.create({ name: "Prices" })
 *   const [file] = yield* workspaces.upload(id, [{ name: "mugs.csv", content: "red,4.20" }])
 *   return yield* workspaces.download(id, file?.path ?? "")
 * }).pipe(Effect.provide(Layer.provideMerge(Workspaces.layer, V3.layer())))
 * ```
 */
export class Workspaces extends Context.Service<Workspaces, Shared.WorkspaceCalls & WorkspaceLists>()(
  "@webagent/v3/Workspaces"
) {
  static readonly make: Effect.Effect<Shared.WorkspaceCalls & WorkspaceLists, never, Transport> = makeWorkspaces
  static readonly layer: Layer.Layer<Workspaces, never, Transport> = Layer.effect(this, this.make)
}

/**
 * The files that a browser has downloaded.
 *
 * @example
 * ```ts
 * import { Downloads } from "@webagent/v3/account"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const sizes = (browserId: string) =>
 *   Downloads.use((downloads) =>
 *     downloads.list(browserId).pipe(Stream.runForEach(({ path, size }) => Effect.log(path, size)))
 *   )
 * ```
 */
export class Downloads extends Context.Service<Downloads, Shared.DownloadCalls>()("@webagent/v3/Downloads") {
  static readonly make: Effect.Effect<Shared.DownloadCalls, never, Transport> = Shared.Downloads.make("v3")
  static readonly layer: Layer.Layer<Downloads, never, Transport> = Layer.effect(this, this.make)
}

/**
 * Hosted browsers, and those of the API key. One runs, and costs, until it is stopped. A service may list browsers in v3
 * only.
 *
 * @example
 * ```ts
 * import { Browsers } from "@webagent/v3/account"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const stopAll = Browsers.use((browsers) =>
 *   browsers
 *     .list({ filterBy: "active" })
 *     .pipe(Stream.runForEach(({ id }) => (id === undefined ? Effect.void : browsers.stop(id))))
 * )
 * ```
 */
export class Browsers extends Context.Service<Browsers, BrowserCalls>()("@webagent/v3/Browsers") {
  static readonly make: Effect.Effect<BrowserCalls, never, Scope.Scope | Transport> = SharedBrowsers.makeOptional("v3")
  static readonly layer: Layer.Layer<Browsers, never, Transport> = Layer.effect(this, this.make)
}

/** The account of the API key: what it has used, and what it may use. */
export class Account extends Context.Service<Account, Shared.AccountCalls>()("@webagent/v3/Account") {
  static readonly make: Effect.Effect<Shared.AccountCalls, never, Transport> = Shared.Account.make("v3")
  static readonly layer: Layer.Layer<Account, never, Transport> = Layer.effect(this, this.make)
}

/** All services of this entry, over a Transport, such as that of `V3.layer`. */
export const layerAccount: Layer.Layer<Account | Browsers | Downloads | Profiles | Workspaces, never, Transport> =
  Layer.mergeAll(Account.layer, Browsers.layer, Downloads.layer, Profiles.layer, Workspaces.layer)
