import { drawing } from "@webagent/statistics/Drawing"
import { quantile, sorted } from "@webagent/statistics/Quantile"
import { open } from "@webagent/test-chromium"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Page } from "playwright-core"
import { ask } from "../measure/Ask.ts"
import { cpuOf_s, descendantsOf } from "../measure/Processes.ts"
import { type Heading, headingLine, inFolder, type Options, paragraphs, plain, table } from "../measure/Report.ts"
import { fromSource, readHealth, startOurs } from "../measure/ServerProcess.ts"

/** The CPU time that a part of the bench took, as a share of one core. */
interface Cost {
  readonly browser: number
  readonly server: number
}

/** The result of the bench `live`. */
export interface LiveReport extends Heading {
  readonly changes: number
  readonly delay_ms: { readonly p50: number; readonly p95: number; readonly most: number }
  /** Bursts of changes whose end was not what a viewer saw at last. */
  readonly stale: string
  /** Time from a key that a viewer presses through the control link to the page, with all keys at once and in turn. */
  readonly keys_ms: Readonly<Record<"atOnce" | "inTurn", { readonly p50: number; readonly p95: number }>>
  readonly still: { readonly alone: Cost; readonly seen: Cost }
  readonly animated: { readonly alone: Cost; readonly seen: Cost; readonly seenBy40: Cost; readonly pictures_s: number }
}

/** The CPU seconds of a server, and those of its descendants. */
const cpuOf = (server: number): Cost => ({
  server: cpuOf_s(server),
  browser: [...descendantsOf(server).values()].reduce((sum, { cpu_s }) => sum + cpu_s, 0)
})

const animation = `<div style="width:100vw;height:100vh;animation:a 2s linear infinite"></div>
  <style>@keyframes a{from{background:red}to{background:blue}}</style>`

/** Presses and releases 16 keys through the control link, and returns how long each took until the page had it. */
const typing = async (page: Page, socket: WebSocket, pause_ms: number): Promise<ReadonlyArray<number>> => {
  await page.evaluate(() => {
    const seen: Array<number> = []
    const note = () => void seen.push(performance.timeOrigin + performance.now())
    Object.assign(globalThis, { seen })
    document.body.replaceWith(Object.assign(document.createElement("body"), { tabIndex: 0 }))
    document.body.addEventListener("keydown", note)
    document.body.focus()
  })
  const sent: Array<number> = []
  for (const key of "abcdefghijklmnop") {
    const stroke = { _tag: "Key", key, code: `Key${key.toUpperCase()}`, keyCode: key.charCodeAt(0) - 32, modifiers: 0 }
    sent.push(performance.timeOrigin + performance.now())
    for (const action of ["pressed", "released"]) socket.send(JSON.stringify({ ...stroke, action }))
    if (pause_ms > 0) await sleep(pause_ms)
  }
  await page.waitForFunction(() => (globalThis as { readonly seen?: ReadonlyArray<number> }).seen?.length === 16)
  const seen = await page.evaluate(() => (globalThis as { readonly seen?: ReadonlyArray<number> }).seen ?? [])
  return seen.map((at, index) => at - (sent[index] ?? 0))
}

/** Measures the delay of keys through a browser's control link, which the first click takes. */
const measureKeys = async (page: Page, controlUrl: string, rounds: number): Promise<LiveReport["keys_ms"]> => {
  await page.setContent("<body style='height:100vh'>")
  const socket = new WebSocket(`${controlUrl.replace(/^http/u, "ws")}/socket`)
  await new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }))
  await sleep(1000)
  const at = { _tag: "Mouse", x: 0.5, y: 0.5, button: "left", clicks: 1, modifiers: 0 }
  socket.send(JSON.stringify({ ...at, action: "pressed", buttons: 1 }))
  socket.send(JSON.stringify({ ...at, action: "released", buttons: 0 }))
  await sleep(1000)
  const measure = async (pause_ms: number) => {
    const delays: Array<number> = []
    for (let round = 0; round < rounds; round++) delays.push(...(await typing(page, socket, pause_ms)))
    const all = sorted(delays)
    return { p50: quantile(all, 0.5), p95: quantile(all, 0.95) }
  }
  const keys_ms = { atOnce: await measure(0), inTurn: await measure(60) }
  socket.close()
  return keys_ms
}

/** Measures the cost of a viewer of a live view, and the time until it sees a change. */
export const live = (options: Options): Promise<LiveReport> =>
  inFolder(async (folder) => {
    const window_s = options.quick ? 4 : 20
    const changes = options.rounds ?? (options.quick ? 15 : 100)
    const flags = ["--browsers", "chromium", "--min-isolation", "none", "--data", join(folder, "a.db")]
    const server = await startOurs([...fromSource, "serve"], flags, { probe: readHealth })
    const viewer = await open()
    try {
      const {
        cdpUrl,
        controlUrl = "",
        liveUrl
      } = await ask<Readonly<Record<string, string>>>(`${server.url}/api/v4/browsers`, "POST", "{}")
      const client = await viewer.browserType().connectOverCDP(cdpUrl ?? "")
      const page = client.contexts()[0]?.pages()[0]
      if (page === undefined || liveUrl === undefined) throw new Error("The server gave no browser that can be seen.")
      const cost = async (): Promise<Cost> => {
        const before = cpuOf(server.pid)
        await sleep(window_s * 1000)
        const after = cpuOf(server.pid)
        return {
          server: (after.server - before.server) / window_s,
          browser: (after.browser - before.browser) / window_s
        }
      }
      /** Sockets that take what comes, as viewers. */
      const viewers = async (count: number) => {
        const counted = { pictures: 0 }
        const sockets = Array.from({ length: count }, () => new WebSocket(`${liveUrl.replace(/^http/u, "ws")}/socket`))
        for (const socket of sockets) {
          socket.addEventListener("message", ({ data }) => {
            if (typeof data !== "string") counted.pictures++
          })
        }
        await sleep(3000)
        return { counted, leave: () => sockets.forEach((socket) => socket.close()) }
      }

      options.log("a still page")
      await page.setContent("<h1>Still</h1>")
      await sleep(2000)
      const stillAlone = await cost()
      const one = await viewers(1)
      const stillSeen = await cost()
      one.leave()

      options.log("an animated page")
      await page.setContent(animation)
      await sleep(2000)
      const alone = await cost()
      const watcher = await viewers(1)
      const seen = await cost()
      watcher.leave()
      const many = await viewers(40)
      const before = many.counted.pictures
      const seenBy40 = await cost()
      const pictures_s = (many.counted.pictures - before) / 40 / window_s
      many.leave()

      options.log(`${changes} changes`)
      await page.setContent("<body style='background:rgb(0,0,0)'>")
      const sight = await viewer.newPage()
      await sight.goto(liveUrl)
      await sight.waitForSelector("[data-state=live] canvas:not([hidden])")
      const draw = drawing(1)
      const delays: Array<number> = []
      for (let change = 0; change < changes; change++) {
        await sleep(500 + draw() * 500)
        const level = change % 2 === 0 ? 200 : 0
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
        delays.push((await drawn) - changed)
      }

      options.log("12 bursts")
      let stale = 0
      for (let burst = 0; burst < 12; burst++) {
        const level = 30 + burst * 15
        await page.evaluate(async (wanted) => {
          for (const red of [250, 5, 250, 5, wanted]) {
            document.body.style.background = `rgb(${red},0,0)`
            await new Promise((resolve) => requestAnimationFrame(resolve))
          }
        }, level)
        await sleep(1500)
        const red = await sight.evaluate(
          () => document.querySelector("canvas")?.getContext("2d")?.getImageData(640, 300, 1, 1).data[0] ?? -99
        )
        if (Math.abs(red - level) > 7) stale++
      }
      options.log("16 keys through the control link")
      const keys_ms = await measureKeys(page, controlUrl, options.quick ? 3 : 20)
      await client.close()
      const all = sorted(delays)
      return {
        changes,
        delay_ms: { p50: quantile(all, 0.5), p95: quantile(all, 0.95), most: all.at(-1) ?? 0 },
        stale: `${stale} of 12`,
        keys_ms,
        still: { alone: stillAlone, seen: stillSeen },
        animated: { alone, seen, seenBy40, pictures_s }
      }
    } finally {
      await viewer.close()
      await server.stop()
    }
  })

const share = (part: number) => `${plain(Math.max(0, part) * 100)} %`

/** The figures of a report. */
export const markdown = (report: LiveReport): string => {
  const { animated, changes, delay_ms, keys_ms, stale, still } = report
  const row = (name: string, { browser, server }: Cost) => [name, share(browser), share(server)]
  return paragraphs(
    headingLine(report, "apps/server --browsers chromium, 1280x720; viewers on the same machine"),
    table(
      ["from a change to its drawing, in ms", "p50", "p95", "most"],
      [[`${changes} changes`, plain(delay_ms.p50), plain(delay_ms.p95), plain(delay_ms.most)]]
    ),
    `Last pictures of bursts that stayed wrong: ${stale}.`,
    table(
      ["from a key at a viewer to the page, in ms", "p50", "p95"],
      [
        ["16 keys at once", plain(keys_ms.atOnce.p50), plain(keys_ms.atOnce.p95)],
        ["a key every 60 ms", plain(keys_ms.inTurn.p50), plain(keys_ms.inTurn.p95)]
      ]
    ),
    table(
      ["CPU, of one core", "browser", "server"],
      [
        row("still page, no viewer", still.alone),
        row("still page, 1 viewer", still.seen),
        row("animated page, no viewer", animated.alone),
        row("animated page, 1 viewer", animated.seen),
        row(`animated page, 40 viewers, ${plain(animated.pictures_s)} pictures a second each`, animated.seenBy40)
      ]
    )
  )
}
