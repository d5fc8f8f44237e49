import { consolePath } from "@webagent/admin"
import * as Atom from "effect/reactivity/Atom"
import { registry } from "./react.ts"

/** The address of the page, without the console's own path. */
export interface Place {
  /** Such as `/runs`. */
  readonly path: string
  /** The query with its question mark, or an empty string. */
  readonly search: string
}

/** True for a page whose addresses are behind a `#`, so that it may be a file or at any path: `<html data-addresses="hash">`. */
const isHash = (): boolean => document.documentElement.dataset["addresses"] === "hash"

/** The `href` of an address such as `/runs?status=failed`. */
export const hrefOf = (to: string): string => (isHash() ? `#${to}` : `${consolePath}${to}`)

const current = (): Place => {
  if (!isHash()) return { path: location.pathname.slice(consolePath.length) || "/", search: location.search }
  const { hash } = location
  const query = hash.indexOf("?")
  return query < 0
    ? { path: hash.slice(1) || "/", search: "" }
    : { path: hash.slice(1, query) || "/", search: hash.slice(query) }
}

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
  history[replace ? "replaceState" : "pushState"](null, "", hrefOf(to))
  registry.set(place, current())
}
