import { drawing } from "@webagent/statistics/Drawing"
import { readdirSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { grouped, type Options, paragraphs, plain, table } from "../measure/Report.ts"
import { timed } from "../measure/Times.ts"
import { browsers as running, connect, pools } from "./Devtools.ts"
import { rested, type Served, warm } from "./Served.ts"

/** Leftovers of stopped browsers. */
interface Left {
  readonly processes: number
  /** Folders and records of the pool. */
  readonly folders: number
  readonly active: number
  /** Files, sockets and pipes that the server has open, more than before. */
  readonly descriptors: number
  /** Files beside the pool's, more than before. */
  readonly files: number
  /** Links that still opened after the stop. */
  readonly links: number
}

/** Browsers that were created, used and stopped, and what is left of them. */
export interface Cycles {
  readonly count: number
  readonly killed: number
  readonly cut: number
  readonly seconds: number
  readonly left: Left
}

/** Creates, uses and stops browsers one after the other. Of four, one is killed and another one's client is. */
export const cyclesOf = async (
  served: Served,
  { log, quick, rounds }: Pick<Options, "log" | "quick" | "rounds">
): Promise<Cycles> => {
  const { create, folder, health, server, stop } = served
  const count = rounds ?? (quick ? 20 : 1000)
  log(`${count} cycles`)
  const draw = drawing(1)
  let killed = 0
  let cut = 0
  let links = 0
  const cycle = async () => {
    const browser = await create()
    const act = draw()
    const client = await connect(browser.cdpUrl).catch(() => undefined)
    if (act < 0.25) {
      const pids = [...running(folder).values()]
      const pid = pids[Math.floor(draw() * pids.length)]
      try {
        if (pid !== undefined) process.kill(pid, "SIGKILL")
        killed++
      } catch {
        // it has ended by itself
      }
      client?.close()
    } else if (act < 0.5) {
      void client?.call("Browser.getVersion")
      client?.cut()
      cut++
    } else {
      await client?.call("Browser.getVersion")
      client?.close()
    }
    await stop(browser.id)
    if ((await fetch(browser.cdpUrl.replace(/^ws/u, "http"))).status !== 410) links++
  }
  const descriptorsNow = () => readdirSync(`/proc/${server.pid}/fd`).length
  const filesNow = () => readdirSync(folder).length
  await cycle()
  await rested([served])
  const before = { descriptors: descriptorsNow(), files: filesNow() }
  const took_ms = await timed(async () => {
    for (let index = 0; index < count; index++) await cycle()
  })
  // each that waits has a folder and a record of its process
  const leftNow = async () => ({
    processes: running(folder).size - warm,
    folders: pools(folder).flatMap((pool) => readdirSync(pool)).length - 2 * warm,
    active: (await health()).browsers.active,
    descriptors: Math.max(0, descriptorsNow() - before.descriptors),
    files: Math.max(0, filesNow() - before.files),
    links
  })
  let left = await leftNow()
  for (let tries = 0; tries < 100 && Object.values(left).some((some) => some !== 0); tries++) {
    await sleep(200)
    left = await leftNow()
  }
  return { count, killed, cut, seconds: took_ms / 1000, left }
}

/** The tables of the cycles. */
export const cyclesTables = ({ count, cut, killed, left, seconds }: Cycles): string =>
  paragraphs(
    `${grouped(count)} times create, use and stop, with ${grouped(killed)} browsers killed and ${grouped(cut)} clients cut, took ${plain(seconds)} s.`,
    table(
      ["left of them", "count"],
      [
        ["processes", `${left.processes}`],
        ["folders and records of the pool", `${left.folders}`],
        ["other files", `${left.files}`],
        ["files, sockets and pipes that the server has open", `${left.descriptors}`],
        ["browsers that are active", `${left.active}`],
        ["links that open", `${left.links}`]
      ]
    )
  )
