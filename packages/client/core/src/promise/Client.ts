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
interface Connection {
  readonly close: () => Promise<void>
  readonly baseUrls: Readonly<Record<ApiVersion, string>>
  readonly request: (version: ApiVersion) => SendRequest
}

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
  readonly #close: () => Promise<void>
  readonly #baseUrl: string

  constructor({ baseUrls, close, request }: Connection, version: ApiVersion) {
    this.request = request(version)
    this.#close = close
    this.#baseUrl = baseUrls[version]
  }

  /** Stops running calls, releases their connections, and rejects further calls with a WebAgentClosedError. */
  close(): Promise<void> {
    return this.#close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close()
  }

  /** Returns the address that the client calls, without the key. */
  toJSON(): { readonly baseUrl: string } {
    return { baseUrl: this.#baseUrl }
  }
}
