import type { Answer, Browsers, CallOptions } from "@webagent/core/promise"
import {
  type AccountClient,
  make,
  makeBrowsers,
  makeWorkspaces,
  type Workspace,
  type WorkspacePage
} from "@webagent/core/promise/account"
import * as V3 from "../Account.ts"
import type { WebAgent } from "./WebAgent.ts"

export { BrowserNotFoundError } from "@webagent/core/promise"
export { ProfileNotFoundError, WorkspaceNotFoundError } from "@webagent/core/promise/account"
export type {
  Browser,
  BrowserCreate,
  BrowserListOptions,
  BrowserPage,
  Browsers,
  OwnedBrowser,
  UpdatedBrowser
} from "@webagent/core/promise"
export type * from "@webagent/core/promise/account/Types"

/** The query of a list of workspaces, whose pages have numbers. */
export interface WorkspaceQuery {
  /** Number of workspaces per page, from 1 to 100. */
  readonly pageSize?: number | undefined
  /** The page to start with; 1 by default. */
  readonly pageNumber?: number | undefined
}

/** The list of workspaces, which v4 doesn't have. */
export interface WorkspaceLists {
  /**
   * Lists workspaces, newest first. Pages are read while you iterate.
   *
   * @param options - The query of the list, and headers and retries of its requests.
   * @returns An iterable of workspaces. Each page is one request.
   * @throws `OperationUnavailableError` if the service has no workspaces.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v3/promise"
   * import { account } from "@webagent/v3/promise/account"
   *
   * export const print = async (agent: WebAgent) => {
   *   for await (const { id, name } of account(agent).workspaces.list()) console.log(id, name)
   * }
   * ```
   */
  list(options?: WorkspaceQuery & Omit<CallOptions, "timeout">): AsyncIterable<Workspace>
  /**
   * Reads one page of `list`.
   *
   * @param options - The same as for `list`, and a `timeout`.
   * @returns The workspaces of the page. `totalItems` is the number of workspaces on all pages.
   * @throws `OperationUnavailableError` if the service has no workspaces.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v3/promise"
   * import { account } from "@webagent/v3/promise/account"
   *
   * export const newest = (agent: WebAgent) => account(agent).workspaces.listPage({ pageSize: 10 })
   * ```
   */
  listPage(options?: WorkspaceQuery & CallOptions): Answer<WorkspacePage>
}

/** The query of a list of profiles, whose pages have numbers. */
export interface ProfileQuery {
  /** A part of the names, in any case. */
  readonly query?: string | undefined
  /** Number of profiles per page, from 1 to 100. */
  readonly page_size?: number | undefined
  /** The page to start with; 1 by default. */
  readonly page?: number | undefined
}

/** The browsers, the profiles, the workspaces, the downloads and the usage of an API key in v3. */
export interface V3AccountClient extends AccountClient<ProfileQuery, WorkspaceLists> {
  readonly browsers: Browsers
}

/**
 * Returns the browsers, the profiles, the workspaces, the downloads and the usage of the account of a client.
 *
 * @param agent - The client that sends the requests. Closing it stops the browsers that it created.
 * @returns The operations, which share the connections of the client.
 * @example
 * ```ts
 * import type { WebAgent } from "@webagent/v3/promise"
 * import { account } from "@webagent/v3/promise/account"
 *
 * export const store = async (agent: WebAgent) => {
 *   const { workspaces } = account(agent)
 *   const { id } = await workspaces.create({ name: "Prices" })
 *   await workspaces.upload(id, [{ name: "mugs.csv", content: "red,4.20" }])
 *   for await (const { path, size } of workspaces.files(id)) console.log(path, size)
 * }
 * ```
 */
export const account = (agent: WebAgent): V3AccountClient => ({
  ...make<ProfileQuery>(agent, V3),
  workspaces: makeWorkspaces<WorkspaceLists>(agent, V3.Workspaces),
  browsers: makeBrowsers(agent, V3.Browsers)
})
