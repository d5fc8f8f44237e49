import type { Browsers } from "@webagent/core/promise"
import { type AccountCalls, make, makeBrowsers } from "@webagent/core/promise/account"
import * as V2 from "../Account.ts"
import type { WebAgent } from "./WebAgent.ts"

export { BrowserNotFoundError } from "@webagent/core/promise"
export type {
  Browser,
  BrowserCreate,
  BrowserListOptions,
  BrowserPage,
  Browsers,
  OwnedBrowser,
  UpdatedBrowser
} from "@webagent/core/promise"
export { ProfileNotFoundError } from "@webagent/core/promise/account"
export type {
  AccountCalls,
  AccountUsage,
  Downloads,
  FilePage,
  FileQuery,
  Profile,
  ProfileInput,
  ProfilePage,
  Profiles,
  StoredFile
} from "@webagent/core/promise/account"

/** The query of a list of profiles, whose pages have numbers. */
export interface ProfileQuery {
  /** A part of the names, in any case. */
  readonly query?: string | undefined
  /** Number of profiles per page, from 1 to 100. */
  readonly pageSize?: number | undefined
  /** The page to start with; 1 by default. */
  readonly pageNumber?: number | undefined
}

/** The browsers, the profiles, the downloads and the usage of an API key in v2. */
export interface V2AccountClient extends AccountCalls<ProfileQuery> {
  readonly browsers: Browsers
}

/**
 * Returns the browsers, the profiles, the downloads and the usage of the account of a client.
 *
 * @param agent - The client that sends the requests. Closing it stops the browsers that it created.
 * @returns The operations, which share the connections of the client.
 * @example
 * ```ts
 * import type { WebAgent } from "@webagent/v2/promise"
 * import { account } from "@webagent/v2/promise/account"
 *
 * export const browse = async (agent: WebAgent) => {
 *   const { browsers, profiles } = account(agent)
 *   const { id: profileId } = await profiles.create({ name: "Ada" })
 *   await using browser = await browsers.create({ profileId })
 *   console.log(browser.cdpUrl)
 * }
 * ```
 */
export const account = (agent: WebAgent): V2AccountClient => ({
  ...make<ProfileQuery>(agent, V2),
  browsers: makeBrowsers(agent, V2.Browsers)
})
