import type { Answer, CallOptions, WaitOptions } from "@webagent/core/promise"
import type { SessionView } from "./Session.ts"

/** The browser sessions of API v2, with their tasks. */
export interface Sessions {
  /** Reads a session with its tasks. An id that is no uuid is refused before anything is sent. */
  get(id: string, options?: CallOptions): Answer<SessionView>
  /** Waits until every task of the session is terminal; without tasks, until the session is stopped. */
  untilTerminal(id: string, options?: WaitOptions): Promise<SessionView>
  /** The session whenever its status or that of a task has changed, the terminal one last. Leaving the loop ends the polls. */
  watch(id: string, options?: WaitOptions): AsyncIterable<SessionView>
}
