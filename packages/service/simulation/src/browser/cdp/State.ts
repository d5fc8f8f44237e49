import { hash } from "node:crypto"
import type { Page } from "./Page.ts"
import * as Protocol from "./Protocol.ts"

/** Which kinds of targets a client wants to hear of: the first entry that matches decides. */
export type Filter = ReadonlyArray<{ readonly type?: string; readonly exclude?: boolean }>

/** Something that a session can be about: the browser itself, a tab, or the page in it. */
export type Target =
  | { readonly type: "browser" }
  | { readonly type: "tab"; readonly page: Page }
  | { readonly type: "page"; readonly page: Page }

/** A client's session with one target. It lives in its connection; the target outlives it. */
export interface Session {
  /** Nothing for the session that a connection is. */
  readonly id: string | undefined
  readonly connection: Connection
  readonly parent: Session | undefined
  readonly target: Target
  /** True if the client didn't ask for it. */
  readonly automatic: boolean
  autoAttach: { readonly filter: Filter; readonly waits: boolean } | undefined
  readonly enabled: Set<"page" | "runtime" | "lifecycle">
  /** The worlds that the client wants in every document of the page, by the script that makes them. */
  readonly worldScripts: Map<string, string>
}

/** One client's connection. */
export interface Connection {
  readonly id: number
  readonly root: Session
  readonly sessions: Map<string, Session>
  discovers: Filter | undefined
}

/** A message for one connection; without a text the connection is to be closed. */
export interface Delivery {
  readonly to: number
  readonly text: string | undefined
}

/** The state of a simulated browser. Commands change it in place, and only `cdp` sees it. */
export interface State {
  readonly id: string
  readonly defaultContextId: string
  /** Contexts that clients made, and the connection with which each goes. */
  readonly contexts: Map<string, { readonly goesWith: number | undefined }>
  readonly pages: Map<string, Page>
  readonly connections: Map<number, Connection>
  counter: number
  /** Seconds since 1970. */
  now_s: number
  deliveries: Array<Delivery>
}

/** A number that nothing else of this browser has. */
export const nextNumber = (state: State): number => ++state.counter

/** An id as Chromium's look, the same for the same browser and the same order of commands. */
export const nextId = (state: State): string =>
  hash("sha256", `${state.id} ${nextNumber(state)}`, "hex")
    .slice(0, 32)
    .toUpperCase()

const deliver = (state: State, connection: Connection, text: string | undefined) =>
  state.deliveries.push({ to: connection.id, text })

/** Says an event to the client of a session. */
export const emit = (state: State, session: Session, method: string, params: Protocol.Result): void => {
  deliver(state, session.connection, Protocol.event(session.id, method, params))
}

export const reply = (state: State, connection: Connection, text: string): void => {
  deliver(state, connection, text)
}

/** Closes a connection after all that was said to it. */
export const hangUp = (state: State, connection: Connection): void => {
  deliver(state, connection, undefined)
}
