import { pastEventKinds } from "@webagent/admin"
import * as Atom from "effect/reactivity/Atom"
import { pagesOf } from "../../state/pages.ts"
import { filtersOf } from "./filters.ts"

/** The server's log for the filters of an address, which has `before` as well: the position at which it begins. */
const logOf = Atom.family((text: string) => {
  const { key, kind, run } = filtersOf(text)
  const named = pastEventKinds.find((one) => one === kind)
  const filters = {
    before: Number(new URLSearchParams(text).get("before")),
    ...(key === "" ? {} : { key }),
    ...(named === undefined ? {} : { kind: named }),
    ...(run === "" ? {} : { run })
  }
  return pagesOf((client, at) => client.events.list({ query: { ...filters, limit: 100, ...at } }))
})

/** The server's log before a position, for the filters of an address. */
export const pastEvents = (before: number, text: string) => logOf(`${text || "?"}&before=${before}`)

/** True if the log can have events that fit: it has no model calls and no nodes. */
export const isLogged = (text: string): boolean => {
  const { kind, node } = filtersOf(text)
  return node === "" && (kind === "" || pastEventKinds.some((one) => one === kind))
}
