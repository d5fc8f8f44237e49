import { setTimeout as sleep } from "node:timers/promises"
import type { Page } from "playwright-core"
import { both, inOrder, inTurns, type Pair } from "../measure/Versions.ts"
import { socketOf, type Viewed } from "./Viewed.ts"

/** The milliseconds from a key of a viewer to the page, for 16 keys in each round. */
export interface Keys {
  readonly atOnce: ReadonlyArray<ReadonlyArray<number>>
  readonly inTurn: ReadonlyArray<ReadonlyArray<number>>
}

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

/** Opens a control link and takes control with a click. */
const takeControl = async ({ controlUrl, page }: Viewed): Promise<WebSocket> => {
  await page.setContent("<body style='height:100vh'>")
  const socket = new WebSocket(socketOf(controlUrl))
  await new Promise((resolve) => socket.addEventListener("message", resolve, { once: true }))
  await sleep(1000)
  const at = { _tag: "Mouse", x: 0.5, y: 0.5, button: "left", clicks: 1, modifiers: 0 }
  socket.send(JSON.stringify({ ...at, action: "pressed", buttons: 1 }))
  socket.send(JSON.stringify({ ...at, action: "released", buttons: 0 }))
  await sleep(1000)
  return socket
}

/** Measures keys through the control links of browsers, in turns. */
export const measureKeys = async (viewed: Pair<Viewed>, rounds: number): Promise<Pair<Keys>> => {
  const all = await inOrder(viewed, async (each) => ({
    page: each.page,
    socket: await takeControl(each),
    keys: { atOnce: Array<ReadonlyArray<number>>(), inTurn: Array<ReadonlyArray<number>>() }
  }))
  for (let round = 0; round < rounds; round++) {
    for (const { keys, page, socket } of inTurns(all, round)) {
      keys.atOnce.push(await typing(page, socket, 0))
      keys.inTurn.push(await typing(page, socket, 60))
    }
  }
  for (const { socket } of all) socket.close()
  return both(all, ({ keys }) => keys)
}
