import { open } from "@webagent/test-chromium"
import { served } from "../browsers/Served.ts"
import type { Heading, Options } from "../measure/Report.ts"
import { type Against, inOrder, type Pair, withBoth } from "../measure/Versions.ts"
import { type Changes, measureChanges } from "./Changes.ts"
import { type Costs, measureCosts } from "./Costs.ts"
import { type Keys, measureKeys } from "./Keys.ts"
import { openViewed } from "./Viewed.ts"

/** The result of the bench `live`. */
export interface LiveReport extends Heading, Against {
  readonly changes: Pair<Changes>
  /** Keys through the control link. */
  readonly keys: Pair<Keys>
  readonly costs: Pair<Costs>
}

/** Measures the cost of a viewer of a live view, and the time until it sees a change or its key is at the page. */
export const live = (options: Options): Promise<LiveReport> =>
  served(options, async (servers) => {
    const { log, quick, rounds } = options
    const viewer = await open()
    try {
      return await withBoth(
        servers,
        openViewed(viewer),
        ({ close }) => close(),
        async (viewed) => {
          log("a still page and an animated one")
          const costs = await inOrder(viewed, (each) => measureCosts(each, quick ? 4 : 20))
          log("changes and bursts")
          const changes = await measureChanges(viewed, viewer, rounds ?? (quick ? 15 : 100))
          log("keys through the control link")
          return { costs, changes, keys: await measureKeys(viewed, quick ? 3 : 20) }
        }
      )
    } finally {
      await viewer.close()
    }
  })
