import type { Answer, CallOptions, WaitOptions } from "@webagent/core/promise"
import type { SessionView } from "./Session.ts"

/** The browser sessions of API v2, with their tasks. */
export interface Sessions {
  /**
   * Reads a session with its tasks.
   *
   * @param id - A UUID. Any other id is refused before a request is sent.
   * @throws `SessionNotFoundError` if the service has no session with this id, and `TransportError` if it can't be reached.
   */
  get(id: string, options?: CallOptions): Answer<SessionView>
  /**
   * Waits until every task of a session is done, or until a session without tasks is stopped.
   *
   * @param options - `timeout` limits the wait: 30 minutes by default.
   * @throws `WaitTimeoutError` if a task isn't done in time. Wait again with the `id`.
   */
  untilTerminal(id: string, options?: WaitOptions): Promise<SessionView>
  /**
   * Emits a session whenever its status or the status of a task changes. The last one is final. Polling stops when you leave the loop.
   */
  watch(id: string, options?: WaitOptions): AsyncIterable<SessionView>
}
