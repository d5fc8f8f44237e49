import { consolePath } from "@webagent/admin"
import * as Atom from "effect/reactivity/Atom"
import { registry } from "./react.ts"

/** The path under which the server serves the console. */
export { consolePath } from "@webagent/admin"

/** The address of the page, without the console's own path. */
export interface Place {
  /** Such as `/runs`. */
  readonly path: string
  /** The query with its question mark, or an empty string. */
  readonly search: string
}

const current = (): Place => ({ path: location.pathname.slice(consolePath.length) || "/", search: location.search })

/** The address of the page. Screens, ids and filters are in it, so that every link and the Back button work. */
export const place: Atom.Writable<Place, Place> = Atom.writable<Place, Place>(
  (get) => {
    const update = () => get.setSelf(current())
    window.addEventListener("popstate", update)
    get.addFinalizer(() => window.removeEventListener("popstate", update))
    return current()
  },
  (context, next) => context.setSelf(next)
).pipe(Atom.keepAlive)

/** The path of the page's address. It doesn't change with filters. */
export const path: Atom.Atom<string> = Atom.make((get) => get(place).path)

/** Opens another address of the console. `replace` adds no entry to the history, for example while you type. */
export const go = (to: string, { replace = false } = {}): void => {
  history[replace ? "replaceState" : "pushState"](null, "", `${consolePath}${to}`)
  registry.set(place, current())
}
