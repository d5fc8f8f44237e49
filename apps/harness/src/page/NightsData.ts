import type { EmbeddedData } from "@webagent/harness-api/Embedded"
import type { Night } from "@webagent/nights/Night"
import * as HistoryIndex from "./HistoryIndex.ts"
import * as NightsView from "./NightsView.ts"

/** Facts about nights that the history doesn't have. */
export interface NightsOptions {
  /** Oldest first. */
  readonly nights: ReadonlyArray<Night>
  readonly factsOf: (suite: string, name: string) => NightsView.ScenarioFacts
  /** Ids of nights whose findings were not recorded. */
  readonly judged?: ReadonlySet<string>
  /** The id of a night's run, if the page has its report. */
  readonly runOf: (night: Night) => string | undefined
  /** Link from the page to the report of a night; undefined if its location is unknown. */
  readonly linkOf: (night: Night) => string | undefined
}

type NightsData = Pick<
  EmbeddedData,
  "nights" | "nightDetails" | "comparisons" | "trend" | "durations" | "costs" | "reports"
>

/** Nights whose scenarios and findings are in a page in full. */
const mostDetails = 7

/** The data of a page about some nights. */
export const of = ({ factsOf, judged, linkOf, nights, runOf }: NightsOptions): NightsData => {
  const index = HistoryIndex.ofNights(nights)
  const last = nights.length
  const shown = nights.slice(-mostDetails)
  const byId = new Map(nights.map((night) => [night.id, night]))
  const map = NightsView.mapOf(index, {
    last,
    factsOf,
    runOf: ({ head }) => {
      const night = byId.get(head.id)
      return night && runOf(night)
    }
  })
  return {
    nights: {
      ...map,
      nights: map.nights.map((column) => (judged?.has(column.id) === true ? { ...column, isJudged: true } : column))
    },
    nightDetails: shown.map((night) => {
      const at = nights.indexOf(night)
      return {
        night,
        run: runOf(night) ?? null,
        previous: nights[at - 1]?.id ?? null,
        next: nights[at + 1]?.id ?? null,
        accepted: [],
        acknowledged: []
      }
    }),
    comparisons: [],
    trend: NightsView.wholeTrend(index).points,
    durations: NightsView.figuresOf(index, "duration", last).rows,
    costs: NightsView.figuresOf(index, "cost", last).rows,
    reports: Object.fromEntries(
      nights.flatMap((night) => {
        const link = linkOf(night)
        return link === undefined ? [] : [[night.id, link] as const]
      })
    )
  }
}
