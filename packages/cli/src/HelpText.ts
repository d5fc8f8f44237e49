import type * as CliOutput from "effect/cli/CliOutput"
import type * as HelpDoc from "effect/cli/HelpDoc"
import { stripVTControlCharacters } from "node:util"

/** Flags by the title of their group, such as `{ LIMIT: "max-cost max-time" }`. */
export type FlagGroups = Readonly<Record<string, string>>

/** Names of values by a pattern of the flag, the first match first. */
const valueNames: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(?:max-cost|trial-budget|max-run-cost|usd-per-day)$/u, "usd"],
  [
    /^(?:timeout|duration|turn-duration|for|older-than|drain-within|model-retry-for|max-outage)$|-(?:timeout|time)$/u,
    "time"
  ],
  [/^(?:until)$/u, "day"],
  [/^(?:keep-days|keep-files-days|remind-days)$/u, "days"],
  [/^time-zone$/u, "zone"],
  [/^(?:max-file-mb|sqlite-log-limit|file-limit|workspace-limit|key-files-limit)$/u, "mb"],
  [/^(?:target|server|control|url)$|-url$/u, "url"],
  [
    /^(?:history|quarantine|baseline|config|thresholds|secrets|approvals|models|faults|export|profile-key-file)$/u,
    "file"
  ],
  [/^(?:report-dir|ledger|out|files|record-dialogues)$/u, "folder"],
  [/^(?:port|control-port)$/u, "port"],
  [/^(?:host|allow-host|advertise)$/u, "host"],
  [/^(?:trust-proxy|allow-private)$/u, "addresses"],
  [/^allow-domains$/u, "domains"],
  [/^browser-languages$/u, "languages"],
  [/^(?:name|suite|tag|owner|scenario|test|node)$/u, "name"],
  [/^(?:api-key|admin-key|control-key)$/u, "key"],
  [/^api-key-header$/u, "header"],
  [/^api-key-env/u, "variable"],
  [/^(?:model|fallback-model)$/u, "dialect:name"],
  [/-price$/u, "prices"],
  [/^shard$/u, "part/parts"],
  [/^notify$/u, "channel"],
  [/^reporter$/u, "names"],
  [/^mix$/u, "weights"],
  [/^v2-session-id$/u, "id"],
  [/^service-version$/u, "version"],
  [/^cron$/u, "expression"],
  [/^data$/u, "file|url"],
  [/^country-proxies$/u, "country=url"]
]

const byType: Readonly<Record<string, string>> = { integer: "n", number: "n", string: "text", choice: "choice" }

const valueNameOf = (name: string, type: string) =>
  type === "boolean" ? type : `<${valueNames.find(([flag]) => flag.test(name))?.[1] ?? byType[type] ?? type}>`

/** Orders flags by their groups; flags without a group come last. */
const grouped = (flags: ReadonlyArray<HelpDoc.FlagDoc>, groups: FlagGroups) => {
  const titleOf = ({ name }: HelpDoc.FlagDoc) =>
    Object.keys(groups).find((title) => groups[title]?.split(" ").includes(name)) ?? "OTHER"
  const byTitle = Map.groupBy(flags, titleOf)
  return [...Object.keys(groups), "OTHER"].flatMap((title) => {
    const own = byTitle.get(title)
    return own === undefined ? [] : [[title, own] as const]
  })
}

/** A list of flags that is longer than this is shown in groups. */
const mostInOneGroup = 12

/** Formats help with names of values, such as `--max-cost <usd>`, and long lists of flags in groups. */
export const formatter = (base: CliOutput.Formatter, groups: FlagGroups): CliOutput.Formatter => ({
  ...base,
  formatHelpDoc: (doc) => {
    const flags = doc.flags.map((flag) => ({ ...flag, type: valueNameOf(flag.name, flag.type) }))
    const args = doc.args?.map((arg) => ({ ...arg, type: valueNameOf(arg.name, arg.type) }))
    const named = { ...doc, flags, ...(args === undefined ? {} : { args }) }
    const parts = grouped(flags, groups)
    if (flags.length <= mostInOneGroup || parts.length < 2) return base.formatHelpDoc(named)
    const lines = base.formatHelpDoc({ ...named, flags: parts.flatMap(([, of]) => of) }).split("\n")
    const title = lines.findIndex((line) => stripVTControlCharacters(line) === "FLAGS")
    const heading = lines[title] ?? ""
    let at = title + 1
    const sections = parts.flatMap(([name, of]) => {
      const rows = lines.slice(at, (at += of.length))
      return [heading.replace("FLAGS", `${name} FLAGS`), ...rows, ""]
    })
    return [...lines.slice(0, title), ...sections.slice(0, -1), ...lines.slice(at)].join("\n")
  }
})
