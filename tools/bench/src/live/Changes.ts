import { drawing } from "@webagent/statistics/Drawing"
import { setTimeout as sleep } from "node:timers/promises"
import type { Browser, Page } from "playwright-core"
import { both, inTurns, type Pair, withBoth } from "../measure/Versions.ts"
import type { Viewed } from "./Viewed.ts"

/** Changes of a page as a viewer sees them. */
export interface Changes {
  /** The milliseconds from each change to its drawing. */
  readonly delays: ReadonlyArray<number>
  /** Number of bursts of changes whose end a viewer didn't see. */
  readonly stale: number
}

/** Number of bursts. */
export const bursts = 12

const redOf = (sight: Page): Promise<number> =>
  sight.evaluate(() => document.querySelector("canvas")?.getContext("2d")?.getImageData(640, 300, 1, 1).data[0] ?? -99)

/** Changes the color of a page; the milliseconds until a viewer has drawn it. */
const change = async (page: Page, sight: Page, level: number): Promise<number> => {
  const drawn = sight.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        const canvas = document.querySelector("canvas")
        const look = () => {
          const [red = -99] = canvas?.getContext("2d")?.getImageData(640, 300, 1, 1).data ?? []
          if (Math.abs(red - wanted) < 12) resolve(Date.now())
          else requestAnimationFrame(look)
        }
        look()
      }),
    level
  )
  const changed = await page.evaluate((wanted) => {
    document.body.style.background = `rgb(${wanted},0,0)`
    return Date.now()
  }, level)
  return (await drawn) - changed
}

/** Changes the color of a page five times in five frames; whether a viewer has another one than the last at the end. */
const isStale = async (page: Page, sight: Page, level: number): Promise<boolean> => {
  await page.evaluate(async (wanted) => {
    for (const red of [250, 5, 250, 5, wanted]) {
      document.body.style.background = `rgb(${red},0,0)`
      await new Promise((resolve) => requestAnimationFrame(resolve))
    }
  }, level)
  await sleep(1500)
  return Math.abs((await redOf(sight)) - level) > 7
}

const see = (viewer: Browser) => async (viewed: Viewed) => {
  await viewed.page.setContent("<body style='background:rgb(0,0,0)'>")
  const sight = await viewer.newPage()
  await sight.goto(viewed.liveUrl)
  await sight.waitForSelector("[data-state=live] canvas:not([hidden])")
  return { page: viewed.page, sight }
}

/** Measures changes and bursts of the pages, in turns. */
export const measureChanges = (viewed: Pair<Viewed>, viewer: Browser, changes: number): Promise<Pair<Changes>> =>
  withBoth(
    viewed,
    see(viewer),
    ({ sight }) => sight.close(),
    async (seen) => {
      const all = both(seen, (each) => ({ ...each, delays: Array<number>(), stale: 0 }))
      const draw = drawing(1)
      for (let count = 0; count < changes; count++) {
        for (const { delays, page, sight } of inTurns(all, count)) {
          await sleep(500 + draw() * 500)
          delays.push(await change(page, sight, count % 2 === 0 ? 200 : 0))
        }
      }
      for (let burst = 0; burst < bursts; burst++) {
        for (const each of inTurns(all, burst)) {
          if (await isStale(each.page, each.sight, 30 + burst * 15)) each.stale++
        }
      }
      return both(all, ({ delays, stale }) => ({ delays, stale }))
    }
  )
