/// <reference lib="esnext.disposable" preserve="true" />
import type { ApiVersion } from "@webagent/contract/Wire"
import type { Answer, RequestOptions } from "./Options.ts"

/**
 * Sends a request to a path below the version's address.
 *
 * @param path - The path, such as `/runs`. Use `query` of the options for a query.
 * @returns The JSON of the response.
 */
export type SendRequest = (
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  options?: RequestOptions
) => Answer<unknown>

/** The part of a `Caller` that every client needs. Its types don't mention Effect. */
export interface Connection {
  /**
   * Stops running calls, and rejects further ones.
   *
   * @returns A promise that resolves once everything that the client started to stop has stopped.
   * @example
   * ```ts
   * import type { Connection } from "@webagent/core/promise/Client"
   *
   * export const closeAll = (connections: ReadonlyArray<Connection>) =>
   *   Promise.all(connections.map((connection) => connection.close()))
   * ```
   */
  readonly close: () => Promise<void>
  readonly baseUrls: Readonly<Record<ApiVersion, string>>
  /**
   * Makes the function that sends requests that the packages don't list.
   *
   * @param version - The API version whose address is used.
   * @returns The function.
   * @example
   * ```ts
   * import type { Connection } from "@webagent/core/promise/Client"
   *
   * export const models = (connection: Connection) => connection.request("v4")("GET", "/models")
   * ```
   */
  readonly request: (version: ApiVersion) => SendRequest
}

/**
 * Returns the connection of a client, for a part of it that has an entry point of its own.
 *
 * @param client - The client, such as a `WebAgent`.
 * @returns Its connection.
 * @example
 * ```ts
 * import { connectionOf } from "@webagent/core/promise/Client"
 * import type { WebAgent } from "@webagent/v4/promise"
 *
 * export const address = (agent: WebAgent) => connectionOf(agent).baseUrls.v4
 * ```
 */
let connectionOf: (client: Client) => Connection

/** Common methods of the clients of all versions. */
export class Client {
  /**
   * Sends a request that this package does not list. The key, redirects, timeouts, errors and redaction are those of
   * every call. A GET is retried; any other method is sent once.
   *
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * export const sessions = (agent: WebAgent) => agent.request("GET", "/sessions", { query: { limit: 10 } })
   * ```
   */
  readonly request: SendRequest
  readonly #connection: Connection
  readonly #version: ApiVersion

  static {
    connectionOf = (client) => client.#connection
  }

  constructor(connection: Connection, version: ApiVersion) {
    this.request = connection.request(version)
    this.#connection = connection
    this.#version = version
  }

  /**
   * Stops running calls, releases their connections, and rejects further calls with a WebAgentClosedError.
   *
   * @returns A promise that resolves once everything that the client started to stop has stopped.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * export const main = async () => {
   *   const agent = new WebAgent()
   *   process.once("SIGTERM", () => void agent.close())
   *   return agent.runs.createAndWait({ task: "Find a red mug" })
   * }
   * ```
   */
  close(): Promise<void> {
    return this.#connection.close()
  }

  /**
   * Closes the client at the end of an `await using` block.
   *
   * @returns A promise that resolves once everything that the client started to stop has stopped.
   * @example
   * ```ts
   * import { WebAgent } from "@webagent/v4/promise"
   *
   * export const main = async () => {
   *   await using agent = new WebAgent()
   *   return agent.runs.createAndWait({ task: "Find a red mug" })
   * }
   * ```
   */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#connection.close()
  }

  /**
   * Returns the address that the client calls, so that a log of the client doesn't contain the key.
   *
   * @returns The address, without the key.
   * @example
   * ```ts
   * import type { WebAgent } from "@webagent/v4/promise"
   *
   * export const log = (agent: WebAgent) => console.log(JSON.stringify(agent)) // {"baseUrl":"https://…/api/v4"}
   * ```
   */
  toJSON(): { readonly baseUrl: string } {
    return { baseUrl: this.#connection.baseUrls[this.#version] }
  }
}

export { connectionOf }
