import type { Browser } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Atom from "effect/reactivity/Atom"
import * as Stream from "effect/Stream"
import { Console } from "../../state/client.ts"
import { epoch, putBrowsers } from "../../state/live.ts"
import { registry } from "../../state/react.ts"
import { settled } from "../../state/runs.ts"

/** The ways to group browsers, by their names in the page's address. */
export const groupings = ["none", "run", "key", "node"] as const

/** A way to group browsers. */
export type Grouping = (typeof groupings)[number]

/** Most browsers that the wall shows. */
const mostBrowsers = 500

/** Active browsers, newest first. They're read again while events about browsers arrive. */
export const activeBrowsers = Console.runtime.atom((get) => {
  get(epoch)
  get(settled("browsers"))
  return Effect.gen(function* () {
    const client = yield* Console
    const rows = yield* Stream.paginate(Option.none<string>(), (cursor) =>
      Effect.map(
        client.browsers.list({
          query: { status: "active", limit: 100, ...(Option.isSome(cursor) ? { cursor: cursor.value } : {}) }
        }),
        ({ next, rows: page }) => [page, Option.map(Option.fromNullishOr(next), Option.some)] as const
      )
    ).pipe(Stream.take(mostBrowsers), Stream.runCollect)
    putBrowsers(rows)
    return rows
  })
})

/** Stops browsers. */
export const stopBrowsers = Console.mutation("browsers", "stop")

/** Ids of the selected browsers. */
export const selected = Atom.make<ReadonlySet<string>>(new Set<string>())

/** Selects a browser, or takes it out of the selection. */
export const toggle = (id: string): void => {
  const next = new Set(registry.get(selected))
  if (!next.delete(id)) next.add(id)
  registry.set(selected, next)
}

const groupOf = (browser: Browser, by: Grouping): string | null =>
  ({ none: null, run: browser.runId, key: browser.owner, node: browser.node })[by]

/** Browsers of a group; null is the group of those without the property. */
export interface Group {
  readonly name: string | null
  readonly ids: ReadonlyArray<string>
}

/** Groups browsers in the order in which they come; those without the property are last. */
export const grouped = (browsers: ReadonlyArray<Browser>, by: Grouping): ReadonlyArray<Group> =>
  [...Map.groupBy(browsers, (browser) => groupOf(browser, by))]
    .map(([name, members]) => ({ name, ids: members.map(({ id }) => id) }))
    .toSorted((a, b) => Number(a.name === null) - Number(b.name === null))
