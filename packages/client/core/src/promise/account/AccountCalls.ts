import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { AccountCalls as AccountEffects } from "../../account/Account.ts"
import type { DownloadCalls } from "../../account/Downloads.ts"
import type { ProfileCalls } from "../../account/Profiles.ts"
import type { WorkspaceCalls } from "../../account/Workspaces.ts"
import type { BrowserCalls } from "../../Browsers.ts"
import type { Transport } from "../../Transport.ts"
import * as Browsers from "../BrowserCalls.ts"
import type { Browsers as BrowserPromises } from "../Browsers.ts"
import type { Caller } from "../Caller.ts"
import { type Client, connectionOf } from "../Client.ts"
import * as Methods from "../Methods.ts"
import type { AccountCalls, Downloads, Profiles, Workspaces } from "./Types.ts"

/** A service of a version, with the effect that makes it. */
interface Made<Calls> {
  readonly make: Effect.Effect<Calls, never, Transport>
}

/** The services of a version, as its entry for Effect exports them. */
interface Services {
  readonly Account: Made<AccountEffects>
  readonly Downloads: Made<DownloadCalls>
  readonly Profiles: Made<ProfileCalls<never>>
}

/** Makes an effect once, when it's first needed. */
const once = <A, R>(make: Effect.Effect<A, never, R>): Effect.Effect<A, never, R> => {
  let made: A | undefined
  return Effect.suspend(() =>
    made === undefined ? Effect.tap(make, (value) => Effect.sync(() => (made = value))) : Effect.succeed(made)
  )
}

/** Returns a function that makes the methods of a service for a client. */
const methodsFor = (client: Client) => {
  const caller = connectionOf(client) as Caller<Transport>
  return <Promises>({ make }: Made<object>, table: Record<string, unknown>) =>
    Methods.methodsOf<Promises>()(once(make) as never, caller, table as never)
}

const browsersOf = new WeakMap<Client, BrowserPromises>()

/**
 * Returns the operations on browsers of a client. A client has one set of them, because they track its running
 * browsers.
 *
 * @param client - The client, such as a `WebAgent`.
 * @param browsers - The service for Effect.
 * @returns The operations.
 * @example
 * ```ts
 * import { Browsers } from "@webagent/core"
 * import { makeBrowsers } from "@webagent/core/promise/account"
 * import type { WebAgent } from "@webagent/v3/promise"
 *
 * export const browsers = (agent: WebAgent) => makeBrowsers(agent, { make: Browsers.makeOptional("v3") })
 * ```
 */
export const makeBrowsers = (
  client: Client,
  browsers: { readonly make: Effect.Effect<BrowserCalls, never, Transport | Scope.Scope> }
): BrowserPromises => {
  const made = browsersOf.get(client)
  if (made !== undefined) return made
  const caller = connectionOf(client) as Caller<Transport>
  const calls = Browsers.make(once(Scope.provide(browsers.make, caller.scope)) as never, caller)
  browsersOf.set(client, calls)
  return calls
}

/**
 * Makes the operations on workspaces of a client.
 *
 * @param client - The client, such as a `WebAgent`.
 * @param workspaces - The service for Effect.
 * @returns The operations.
 * @example
 * ```ts
 * import { makeWorkspaces } from "@webagent/core/promise/account"
 * import { Workspaces } from "@webagent/v4/account"
 * import type { WebAgent } from "@webagent/v4/promise"
 *
 * export const workspaces = (agent: WebAgent) => makeWorkspaces(agent, Workspaces)
 * ```
 */
export const makeWorkspaces = <More = unknown>(client: Client, workspaces: Made<WorkspaceCalls>): Workspaces & More => {
  const { callingWith, listing, listingBy, reading, readingBy, readingPage } = Methods
  const change = readingBy(2)
  return methodsFor(client)<Workspaces & More>(workspaces, {
    create: callingWith(1),
    get: reading,
    update: change,
    delete: reading,
    size: reading,
    files: listingBy(1),
    filesPage: callingWith(1),
    uploadLinks: callingWith(2),
    upload: callingWith(2),
    download: change,
    deleteFile: change,
    list: listing,
    listPage: readingPage
  })
}

/**
 * Makes the operations on the account of a client: profiles, downloads and usage.
 *
 * @param client - The client, such as a `WebAgent`.
 * @param version - The services for Effect.
 * @returns The operations.
 * @example
 * ```ts
 * import { make } from "@webagent/core/promise/account"
 * import * as V4 from "@webagent/v4/account"
 * import type { WebAgent } from "@webagent/v4/promise"
 *
 * export const usage = (agent: WebAgent) => make(agent, V4).usage()
 * ```
 */
export const make = <Query>(client: Client, version: Services): AccountCalls<Query> => {
  const methods = methodsFor(client)
  const { callingWith, listing, listingBy, reading, readingBy, readingPage } = Methods
  const create = callingWith(1)
  const change = readingBy(2)
  return {
    profiles: methods<Profiles<Query>>(version.Profiles, {
      list: listing,
      listPage: readingPage,
      create,
      get: reading,
      update: change,
      delete: reading
    }),
    downloads: methods<Downloads>(version.Downloads, { list: listingBy(1), listPage: create, get: change }),
    usage: methods<{ readonly get: AccountCalls<Query>["usage"] }>(version.Account, { get: readingBy(0) }).get
  }
}
