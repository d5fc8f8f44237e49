import { setTimeout as sleep } from "node:timers/promises"
import { cpuOf_s, descendantsOf } from "../measure/Processes.ts"
import { socketOf, type Viewed } from "./Viewed.ts"

/** CPU time in a window, as a share of one core. */
export interface Cost {
  readonly browser: number
  readonly server: number
}

/** CPU time of a server and its browsers, without viewers and with them. */
export interface Costs {
  readonly still: { readonly alone: Cost; readonly seen: Cost }
  readonly animated: { readonly alone: Cost; readonly seen: Cost; readonly seenBy40: Cost; readonly pictures_s: number }
}

const cpuOf = (server: number): Cost => ({
  server: cpuOf_s(server),
  browser: [...descendantsOf(server).values()].reduce((sum, { cpu_s }) => sum + cpu_s, 0)
})

const still = "<h1>Still</h1>"
const animation = `<div style="width:100vw;height:100vh;animation:a 2s linear infinite"></div>
  <style>@keyframes a{from{background:red}to{background:blue}}</style>`

/** Sockets that receive pictures, as viewers. */
const viewersOf = async (liveUrl: string, count: number) => {
  const counted = { pictures: 0 }
  const sockets = Array.from({ length: count }, () => new WebSocket(socketOf(liveUrl)))
  for (const socket of sockets) {
    socket.addEventListener("message", ({ data }) => {
      if (typeof data !== "string") counted.pictures++
    })
  }
  await sleep(3000)
  return { counted, leave: () => sockets.forEach((socket) => socket.close()) }
}

/** Measures the CPU time of viewers of a still page and of an animated one, and leaves the page still. */
export const measureCosts = async ({ liveUrl, page, server }: Viewed, window_s: number): Promise<Costs> => {
  const cost = async (): Promise<Cost> => {
    const before = cpuOf(server)
    await sleep(window_s * 1000)
    const after = cpuOf(server)
    return { server: (after.server - before.server) / window_s, browser: (after.browser - before.browser) / window_s }
  }
  const seenBy = async (count: number) => {
    const { counted, leave } = await viewersOf(liveUrl, count)
    const before = counted.pictures
    const seen = await cost()
    leave()
    return { seen, pictures_s: (counted.pictures - before) / count / window_s }
  }
  const show = async (content: string) => {
    await page.setContent(content)
    await sleep(2000)
  }

  await show(still)
  const stillCosts = { alone: await cost(), seen: (await seenBy(1)).seen }
  await show(animation)
  const alone = await cost()
  const { seen } = await seenBy(1)
  const { pictures_s, seen: seenBy40 } = await seenBy(40)
  await show(still)
  return { still: stillCosts, animated: { alone, seen, seenBy40, pictures_s } }
}
