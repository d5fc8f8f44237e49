import type { ApiVersion } from "@webagent/contract/Wire"
import type { OpenItem } from "@webagent/core"
import type * as Report from "@webagent/report/Trial"

/** Something that was created and may go on, and what became of it. */
export interface Leftover {
  readonly item: OpenItem
  /** The trial that created it; null where that is unknown. */
  readonly trial: Report.Leftover["trial"]
  /**
   * `left`: nothing was done about it yet. `open`: it may continue and cost money. `unknown`: its create request got no response,
   * so it may not exist. `in use`: its process is at work, or it was opened just now.
   */
  readonly state: "left" | "stopped" | "over" | "open" | "unknown" | "in use"
  /** The reason for the state, or the response of the service. */
  readonly why: string
}

/** Something that is left; without an id it is unknown. */
export const of = (item: OpenItem, trial: Leftover["trial"] = null): Leftover => ({
  item,
  trial,
  state: item.id === undefined ? "unknown" : "left",
  why: item.reason ?? ""
})

/** Which items of a ledger are to be taken. */
export interface Selection {
  /** The full address of each version of the service that is called; undefined takes what any service has. */
  readonly baseUrls: Readonly<Record<ApiVersion, string>> | undefined
  /** Only what this one has opened, and that for sure. */
  readonly owner: string | undefined
  /** The id of the process that is an owner, as long as it is at work. */
  readonly atWork: (owner: string) => number | undefined
  readonly now_ms: number
  /** Minimum age of a leftover: younger ones are left alone. */
  readonly youngest_ms: number
}

const inUse = (item: OpenItem, { atWork, now_ms, owner, youngest_ms }: Selection): string | undefined => {
  if (now_ms - item.at_ms < youngest_ms) return "it was opened just now"
  const pid = owner === undefined ? atWork(item.owner ?? "") : undefined
  return pid === undefined ? undefined : `process ${pid} is at work`
}

/** Returns the leftovers of the items in a ledger, in the order in which they were opened. */
export const ofLedger = (items: ReadonlyArray<OpenItem>, selection: Selection): ReadonlyArray<Leftover> =>
  items
    .filter(({ owner }) => selection.owner === undefined || owner === selection.owner)
    .map((item): Leftover => {
      const why = inUse(item, selection)
      if (why !== undefined) return { ...of(item), state: "in use", why }
      const { baseUrls } = selection
      const isElsewhere =
        baseUrls !== undefined &&
        !Object.values(baseUrls).some((base) => `${item.origin}${item.path}`.startsWith(`${base}/`))
      return item.id !== undefined && isElsewhere
        ? { ...of(item), state: "open", why: `at another service, ${item.origin}` }
        : of(item)
    })
