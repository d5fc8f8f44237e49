import * as Atom from "effect/reactivity/Atom"

/** State of the connection that brings events. */
export type Connection = "connecting" | "live" | "lost"

/** State of the connection that brings events. */
export const connection: Atom.Writable<Connection> = Atom.make<Connection>("connecting").pipe(Atom.keepAlive)

/** Time of the last message before the connection was lost; undefined while there is one. */
export const lostSince: Atom.Writable<number | undefined> = Atom.make<number | undefined>(undefined).pipe(
  Atom.keepAlive
)

/** A connection that is back within this time isn't worth a banner. */
const brief_ms = 1500

/** The value of `lostSince` once the connection has been lost for more than a moment. */
export const offline: Atom.Atom<number | undefined> = Atom.make<number | undefined>((get) => {
  const at_ms = get(lostSince)
  if (at_ms === undefined) return undefined
  const timer = setTimeout(() => get.setSelf(at_ms), brief_ms)
  get.addFinalizer(() => clearTimeout(timer))
  return undefined
})
