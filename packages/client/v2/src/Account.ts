import type { ProfileListQuery } from "@webagent/contract/v2"
import { type BrowserCalls, Browsers as SharedBrowsers, Pages, type Transport } from "@webagent/core"
import * as Shared from "@webagent/core/account"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"

export { BrowserNotFoundError, ProfileNotFoundError } from "@webagent/contract"
export type {
  Account as AccountUsage,
  Browser,
  BrowserCreate,
  BrowserList,
  BrowserListQuery,
  FileList,
  Profile,
  ProfileInput,
  ProfileList,
  StoredFile,
  UpdatedBrowser
} from "@webagent/contract/v2"
export type { BrowserCalls, BrowserError, BrowserListError, BrowserListOptions } from "@webagent/core"
export type {
  AccountCalls,
  DownloadCalls,
  DownloadError,
  FileQuery,
  ProfileCalls,
  ProfileCreateError,
  ProfileError,
  ProfileListError
} from "@webagent/core/account"

/** Hosted browsers, and those of the API key. One runs, and costs, until it is stopped. */
export class Browsers extends Context.Service<Browsers, BrowserCalls>()("@webagent/v2/Browsers") {
  static readonly make: Effect.Effect<BrowserCalls, never, Scope.Scope | Transport> = SharedBrowsers.makeOptional("v2")
  static readonly layer: Layer.Layer<Browsers, never, Transport> = Layer.effect(this, this.make)
}

/**
 * Browser profiles: names for browser state, such as cookies, that later browsers can start with.
 *
 * @example
 * ```ts
 * import { V2 } from "@webagent/v2"
 * import { Browsers, layerAccount, Profiles } from "@webagent/v2/account"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * export const program = Effect.gen(function* () {
 *   const { id: profileId } = yield* Profiles.use((profiles) => profiles.create({ name: "Ada" }))
 *   const browsers = yield* Browsers
 *   return yield* browsers.use({ profileId }, (browser) => Effect.log(browser.cdpUrl))
 * }).pipe(Effect.provide(Layer.provideMerge(layerAccount, V2.layer())))
 * ```
 */
export class Profiles extends Context.Service<Profiles, Shared.ProfileCalls<ProfileListQuery>>()(
  "@webagent/v2/Profiles"
) {
  static readonly make: Effect.Effect<Shared.ProfileCalls<ProfileListQuery>, never, Transport> = Shared.Profiles.make(
    "v2",
    Pages.nextNumber<ProfileListQuery>
  )
  static readonly layer: Layer.Layer<Profiles, never, Transport> = Layer.effect(this, this.make)
}

/** The files that a browser has downloaded. */
export class Downloads extends Context.Service<Downloads, Shared.DownloadCalls>()("@webagent/v2/Downloads") {
  static readonly make: Effect.Effect<Shared.DownloadCalls, never, Transport> = Shared.Downloads.make("v2")
  static readonly layer: Layer.Layer<Downloads, never, Transport> = Layer.effect(this, this.make)
}

/** The account of the API key: what it has used, and what it may use. */
export class Account extends Context.Service<Account, Shared.AccountCalls>()("@webagent/v2/Account") {
  static readonly make: Effect.Effect<Shared.AccountCalls, never, Transport> = Shared.Account.make("v2")
  static readonly layer: Layer.Layer<Account, never, Transport> = Layer.effect(this, this.make)
}

/** All services of this entry, over a Transport, such as that of `V2.layer`. */
export const layerAccount: Layer.Layer<Account | Browsers | Downloads | Profiles, never, Transport> = Layer.mergeAll(
  Account.layer,
  Browsers.layer,
  Downloads.layer,
  Profiles.layer
)
