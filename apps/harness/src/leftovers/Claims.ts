import type { ApiVersion } from "@webagent/contract/Wire"
import type { OpenItem } from "@webagent/core"

/** Why an item of a ledger is, or is not, the reaper's. */
export type Claim =
  /** Something with an id that was left: `version` is through which API it was created. */
  | { readonly _tag: "Left"; readonly item: OpenItem; readonly id: string; readonly version: ApiVersion }
  /** A create whose response was lost: there is no id to stop. */
  | { readonly _tag: "Unlearnt"; readonly item: OpenItem }
  /** Its process is at work, or it was opened just now. */
  | { readonly _tag: "InUse"; readonly item: OpenItem; readonly why: string }
  /** It was created at another service than the one that is called. */
  | { readonly _tag: "Elsewhere"; readonly item: OpenItem }

/** Which items are to be taken. */
export interface Sieve {
  /** The full address of each version of the service that is called; undefined takes each item's own for it. */
  readonly baseUrls: Readonly<Record<ApiVersion, string>> | undefined
  /** Only what this one has opened, and that for sure. */
  readonly owner: string | undefined
  /** The id of the process that is an owner, as long as it is at work. */
  readonly atWork: (owner: string) => number | undefined
  readonly now_ms: number
  /** What was opened less long ago is left alone. */
  readonly youngest_ms: number
}

const versionOf = ({ origin, path }: OpenItem, { baseUrls }: Sieve): ApiVersion | undefined => {
  const url = `${origin}${path}`
  const under = (base: string) => url.startsWith(`${base}/`)
  const versions: ReadonlyArray<ApiVersion> = ["v2", "v3", "v4"]
  return versions.find((version) =>
    baseUrls === undefined ? path.includes(`/api/${version}/`) : under(baseUrls[version])
  )
}

const inUse = (item: OpenItem, { atWork, now_ms, owner, youngest_ms }: Sieve): string | undefined => {
  if (now_ms - item.at_ms < youngest_ms) return "it was opened just now"
  const pid = owner === undefined ? atWork(item.owner ?? "") : undefined
  return pid === undefined ? undefined : `process ${pid} is at work`
}

/** What becomes of each item that is open, in the order in which they were opened. */
export const claims = (items: ReadonlyArray<OpenItem>, sieve: Sieve): ReadonlyArray<Claim> =>
  items
    .filter(({ owner }) => sieve.owner === undefined || owner === sieve.owner)
    .map((item): Claim => {
      const why = inUse(item, sieve)
      if (why !== undefined) return { _tag: "InUse", item, why }
      if (item.id === undefined) return { _tag: "Unlearnt", item }
      const version = versionOf(item, sieve)
      return version === undefined ? { _tag: "Elsewhere", item } : { _tag: "Left", item, id: item.id, version }
    })
