import type { ProfileListQuery } from "@webagent/contract/v4"
import { Pages, type Transport } from "@webagent/core"
import * as Shared from "@webagent/core/account"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export { ProfileNotFoundError, WorkspaceNotFoundError } from "@webagent/contract"
export type * from "@webagent/core/account/Types"

/**
 * Browser profiles: names for browser state, such as cookies, that later browsers can start with.
 *
 * @example
 * ```ts
 * import { Runs, V4 } from "@webagent/v4"
 * import { Profiles } from "@webagent/v4/account"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * export const program = Effect.gen(function* () {
 *   const profiles = yield* Profiles
 *   const runs = yield* Runs
 *   const { id: profileId } = yield* profiles.create({ name: "Ada", userId: "user-7" })
 *   return yield* runs.createAndWait({ task: "Sign in to the shop", browserSettings: { profileId } })
 * }).pipe(Effect.provide(Layer.provideMerge(Profiles.layer, V4.layer())))
 * ```
 */
export class Profiles extends Context.Service<Profiles, Shared.ProfileCalls<ProfileListQuery>>()(
  "@webagent/v4/Profiles"
) {
  static readonly make: Effect.Effect<Shared.ProfileCalls<ProfileListQuery>, never, Transport> = Shared.Profiles.make(
    "v4",
    Pages.nextNumber<ProfileListQuery>
  )
  static readonly layer: Layer.Layer<Profiles, never, Transport> = Layer.effect(this, this.make)
}

/**
 * Workspaces: files that several sessions can use.
 *
 * @example
 * ```ts
 * import { V4 } from "@webagent/v4"
 * import { Workspaces } from "@webagent/v4/account"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * export const program = Effect.gen(function* () {
 *   const workspaces = yield* Workspaces
 *   const { id } = yield* workspaces.create({ name: "Prices" })
 *   const [file] = yield* workspaces.upload(id, [{ name: "mugs.csv", content: "red,4.20" }])
 *   return yield* workspaces.download(id, file?.path ?? "")
 * }).pipe(Effect.provide(Layer.provideMerge(Workspaces.layer, V4.layer())))
 * ```
 */
export class Workspaces extends Context.Service<Workspaces, Shared.WorkspaceCalls>()("@webagent/v4/Workspaces") {
  static readonly make: Effect.Effect<Shared.WorkspaceCalls, never, Transport> = Shared.Workspaces.make("v4")
  static readonly layer: Layer.Layer<Workspaces, never, Transport> = Layer.effect(this, this.make)
}

/**
 * The files that a browser has downloaded.
 *
 * @example
 * ```ts
 * import { Downloads } from "@webagent/v4/account"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const sizes = (browserId: string) =>
 *   Downloads.use((downloads) =>
 *     downloads.list(browserId).pipe(Stream.runForEach(({ path, size }) => Effect.log(path, size)))
 *   )
 * ```
 */
export class Downloads extends Context.Service<Downloads, Shared.DownloadCalls>()("@webagent/v4/Downloads") {
  static readonly make: Effect.Effect<Shared.DownloadCalls, never, Transport> = Shared.Downloads.make("v4")
  static readonly layer: Layer.Layer<Downloads, never, Transport> = Layer.effect(this, this.make)
}

/** The account of the API key: what it has used, and what it may use. */
export class Account extends Context.Service<Account, Shared.AccountCalls>()("@webagent/v4/Account") {
  static readonly make: Effect.Effect<Shared.AccountCalls, never, Transport> = Shared.Account.make("v4")
  static readonly layer: Layer.Layer<Account, never, Transport> = Layer.effect(this, this.make)
}

/** All services of this entry, over a Transport, such as that of `V4.layer`. */
export const layerAccount: Layer.Layer<Account | Downloads | Profiles | Workspaces, never, Transport> = Layer.mergeAll(
  Account.layer,
  Downloads.layer,
  Profiles.layer,
  Workspaces.layer
)
