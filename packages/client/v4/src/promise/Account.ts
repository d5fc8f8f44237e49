import { type AccountClient, make, makeWorkspaces } from "@webagent/core/promise/account"
import * as V4 from "../Account.ts"
import type { WebAgent } from "./WebAgent.ts"

export { ProfileNotFoundError, WorkspaceNotFoundError } from "@webagent/core/promise/account"
export type * from "@webagent/core/promise/account/Types"

/** The query of a list of profiles, whose pages have numbers. */
export interface ProfileQuery {
  /** A part of the names, in any case. */
  readonly query?: string | undefined
  /** Number of profiles per page, from 1 to 100. */
  readonly pageSize?: number | undefined
  /** The page to start with; 1 by default. */
  readonly pageNumber?: number | undefined
}

/**
 * Returns the profiles, the workspaces, the downloads and the usage of the account of a client.
 *
 * @param agent - The client that sends the requests.
 * @returns The operations, which share the connections of the client.
 * @example
 * ```ts
 * import type { WebAgent } from "@webagent/v4/promise"
 * import { account } from "@webagent/v4/promise/account"
 *
 * export const store = async (agent: WebAgent) => {
 *   const { workspaces } = account(agent)
 *   const { id } = await workspaces.create({ name: "Prices" })
 *   await workspaces.upload(id, [{ name: "mugs.csv", content: "red,4.20" }])
 *   for await (const { path, size } of workspaces.files(id)) console.log(path, size)
 * }
 * ```
 */
export const account = (agent: WebAgent): AccountClient<ProfileQuery> => ({
  ...make<ProfileQuery>(agent, V4),
  workspaces: makeWorkspaces(agent, V4.Workspaces)
})
