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

let isBack = false

/** True if the address was opened by Back or Forward, so that a list can be where it was. */
export const cameBack = (): boolean => isBack

/** The address of the page. Screens, ids and filters are in it, so that every link and the Back button work. */
export const place: Atom.Writable<Place, Place> = Atom.writable<Place, Place>(
  (get) => {
    const update = () => {
      isBack = true
      get.setSelf(current())
    }
    window.addEventListener("popstate", update)
    get.addFinalizer(() => window.removeEventListener("popstate", update))
    return current()
  },
  (context, next) => context.setSelf(next)
).pipe(Atom.keepAlive)

/** The path of the page's address. It doesn't change with filters. */
export const path: Atom.Atom<string> = Atom.make((get) => get(place).path)

/** The entry of the history before this one, if it's an address of the console. */
interface Entry {
  readonly from?: string
}

const textOf = ({ path: at, search }: Place): string => `${at}${search}`

/**
 * Opens another address of the console. `replace` adds no entry to the history, for example while you type, and neither does
 * the current address.
 */
export const go = (to: string, { replace = false } = {}): void => {
  isBack = false
  const at = textOf(current())
  if (replace || to === at) history.replaceState(history.state, "", hrefOf(to))
  else history.pushState({ from: at } satisfies Entry, "", hrefOf(to))
  registry.set(place, current())
}

/** The number that the query of the page's address has under a name; undefined without one. */
export const numberInQuery = (name: string): number | undefined =>
  Number(new URLSearchParams(current().search).get(name)) || undefined

/** Sets a name in the query of the page's address, or removes it for an empty text. It adds no entry to the history. */
export const setInQuery = (name: string, value: string): void => {
  const query = new URLSearchParams(current().search)
  query.set(name, value)
  if (value === "") query.delete(name)
  // the token of a shared run is behind the query
  const after = isHash() ? "" : location.hash
  go(`${current().path}${query.size === 0 ? "" : "?"}${query}${after}`, { replace: true })
}

/** The address from which the page in view was opened; undefined for one that was opened by its address. */
export const cameFrom = (): string | undefined => (history.state as Entry | null)?.from

/** Goes back to the address from which the page in view was opened, or else to another one. */
export const goBack = (otherwise: string): void => (cameFrom() === undefined ? go(otherwise) : history.back())

/** The title of the page in a tab of the browser, such as `Runs · webagent`. */
export const titleOf = (title: string): string => `${title} · webagent`
