import * as Atom from "effect/reactivity/Atom"

/** State of the connection that brings events. */
export type Connection = "connecting" | "live" | "lost"

/** State of the connection that brings events. */
export const connection: Atom.Writable<Connection> = Atom.make<Connection>("connecting").pipe(Atom.keepAlive)
