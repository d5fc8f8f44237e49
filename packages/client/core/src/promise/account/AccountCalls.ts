import * as Effect from "effect/Effect"
import type { AccountCalls as AccountEffects } from "../../account/Account.ts"
import type { BrowserCalls } from "../../account/Browsers.ts"
import type { DownloadCalls } from "../../account/Downloads.ts"
import type { ProfileCalls } from "../../account/Profiles.ts"
import type { WorkspaceCalls } from "../../account/Workspaces.ts"
import type { Transport } from "../../Transport.ts"
import type { Caller } from "../Caller.ts"
import { type Client, connectionOf } from "../Client.ts"
import * as Methods from "../Methods.ts"
import type { AccountBrowsers, AccountClient, Downloads, Profiles, Workspaces } from "./Types.ts"

/** A service of a version, with the effect that makes it. */
interface Made<Calls> {
  readonly make: Effect.Effect<Calls, never, Transport>
}

/** The services of a version, as its entry for Effect exports them. */
interface Services {
  readonly Account: Made<AccountEffects>
  readonly Downloads: Made<DownloadCalls>
  readonly Profiles: Made<ProfileCalls<never>>
  readonly Workspaces: Made<WorkspaceCalls>
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

/** Makes the calls of a client that find its browsers and stop them. */
export const makeBrowsers = (client: Client, browsers: Made<BrowserCalls>): AccountBrowsers => {
  const { listing, reading, readingPage } = Methods
  return methodsFor(client)(browsers, { list: listing, listPage: readingPage, get: reading, stop: reading })
}

/** Makes the calls of a client. */
export const make = <Query, More = unknown>(client: Client, version: Services): AccountClient<Query, More> => {
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
    workspaces: methods<Workspaces & More>(version.Workspaces, {
      create,
      get: reading,
      update: change,
      delete: reading,
      size: reading,
      files: listingBy(1),
      filesPage: create,
      uploadLinks: callingWith(2),
      upload: callingWith(2),
      download: change,
      deleteFile: change,
      list: listing,
      listPage: readingPage
    }),
    downloads: methods<Downloads>(version.Downloads, { list: listingBy(1), listPage: create, get: change }),
    usage: methods<{ readonly get: AccountClient<Query>["usage"] }>(version.Account, { get: readingBy(0) }).get
  }
}
