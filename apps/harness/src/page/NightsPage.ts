import type { EmbeddedData } from "@webagent/harness-api/Embedded"
import { judgeNight } from "@webagent/findings/NightFindings"
import type { Night } from "@webagent/nights/Night"
import type { Past } from "@webagent/nights/Past"
import * as NightsData from "./NightsData.ts"
import * as PageProject from "./PageProject.ts"

/** Input of the page of a history. */
interface NightsPageOptions extends Pick<NightsData.NightsOptions, "linkOf"> {
  readonly past: Past
  /** Number of latest nights to show. */
  readonly last: number
  readonly tool: EmbeddedData["project"]["tool"]
  readonly commands: EmbeddedData["project"]["commands"]
  readonly exportedAt: string
}

/** The owners of scenarios, as the latest night that has them tells them. */
const ownersOf = (nights: ReadonlyArray<Night>) =>
  new Map(
    nights.flatMap(({ scenarios }) =>
      scenarios.map(({ name, owner, suite }) => [JSON.stringify([suite, name]), owner ?? null] as const)
    )
  )

/** The data of the page of a history: all its nights, with links to their reports. */
export const dataOf = ({ commands, exportedAt, last, linkOf, past, tool }: NightsPageOptions): EmbeddedData => {
  const judged = new Set<string>()
  const nights = past.nights.slice(-last).map((night) => {
    if (night.status !== undefined && night.findings !== undefined) return night
    judged.add(night.id)
    return { ...night, ...judgeNight(past, night), ...(night.status === undefined ? {} : { status: night.status }) }
  })
  const owners = ownersOf(nights)
  return {
    format: 1,
    start: null,
    home: null,
    project: PageProject.of(tool, { commands, exportedAt }),
    suites: { files: [], problem: null },
    runs: { rows: [], next: null, total: 0 },
    details: [],
    traces: {},
    ...NightsData.of({
      nights,
      factsOf: (suite, name) => ({
        tags: [],
        owner: owners.get(JSON.stringify([suite, name])) ?? null,
        quarantine: null
      }),
      judged,
      runOf: () => undefined,
      linkOf
    }),
    loads: [],
    loadDetails: [],
    loadComparisons: [],
    comparedLoads: {}
  }
}
