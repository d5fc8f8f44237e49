/** Clients that make others wait for a browser, and that don't wait forever themselves. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Kit } from "./Kit.ts"
import { type Request, textOf } from "./Requests.ts"

/** A create of a browser without an idempotency key, which therefore has no effect without a response. */
export interface LooseCreate {
  /** The metadata of its browser. */
  readonly tag: string
  readonly sentAt_ms: number
  /** Time at which it failed; Infinity if it created a browser. */
  failedAt_ms: number
  /**
   * The failure: its connection closed, the service refused it, or the service was unavailable, such as the node that
   * was to have the browser; null if it created a browser.
   */
  failure: "closed" | "refused" | "unavailable" | null
}

/** Time that a create waits for a browser, as the flag of the nodes says. */
export const createTimeout_ms = 5000

/** Runs of a burst, and the longest time in seconds that a run waits that doesn't wait long. */
const most = { burst: 6, queueTimeout_s: 8 }

/** The creates that wait of the clients of one key. */
export interface Waits {
  /** Waits in one of the ways. */
  readonly use: (kit: Kit) => Promise<void>
  /** Creates a browser without an idempotency key. Half of the clients give up while they wait. */
  readonly browse: (kit: Kit) => Promise<void>
  readonly creates: ReadonlyArray<LooseCreate>
  /** Number of creates that were refused because no browser was free in time. */
  readonly refused: () => number
}

export const makeWaits = (name: string): Waits => {
  const creates: Array<LooseCreate> = []
  let refused = 0

  /** More runs than there is room for. */
  const burst = async ({ create, draw, ended }: Kit) => {
    const ids: Array<string> = []
    for (let left = 2 + Math.floor(draw() * (most.burst - 1)); left > 0; left--) {
      const task = `Wait in line [simulate output=found steps=0 duration=${Math.floor(500 + draw() * 1500)}ms]`
      ids.push(textOf(await create("run", "/runs", { task }), "id"))
    }
    for (const id of ids) await ended(id)
  }

  /** A run that waits for a short time only. */
  const hurry = async ({ create, draw, ended, mayFail }: Kit) => {
    const queueTimeout = Math.ceil(draw() * most.queueTimeout_s * 10) / 10
    const task = "Hurry [simulate output=found steps=0 duration=300ms]"
    const id = textOf(await create("run", "/runs", { task, queueTimeout }), "id")
    mayFail.set(id, "no_browser")
    await ended(id)
  }

  const browse = async ({ draw, requests, wrong }: Kit) => {
    const made: LooseCreate = {
      tag: `${name}-${creates.length + 1}`,
      sentAt_ms: Date.now(),
      failedAt_ms: Infinity,
      failure: null
    }
    creates.push(made)
    const response = await requests
      .send(requests.any(), {
        method: "POST",
        path: "/browsers",
        // a browser whose response is lost on the way runs on
        body: { metadata: { create: made.tag }, timeout: 2 },
        patience_ms: draw() < 0.5 ? Math.ceil(draw() * createTimeout_ms) : createTimeout_ms * 4
      })
      .catch(() => undefined)
    const fail = (failure: LooseCreate["failure"]) => {
      made.failedAt_ms = Date.now()
      made.failure = failure
    }
    if (response === undefined) return fail("closed")
    const { body, status } = response
    const waited_ms = Date.now() - made.sentAt_ms
    if (status === 201) {
      await sleep(draw() * 1500)
      const stop: Request = { method: "PATCH", path: `/browsers/${textOf(body, "id")}`, body: { action: "stop" } }
      const stopped = await requests.insist(stop)
      if (stopped.status !== 200) wrong.push(`PATCH browser ${textOf(body, "id")}: ${stopped.status}`)
      return
    }
    if (status !== 429 && status !== 503) wrong.push(`POST /browsers: ${status} ${JSON.stringify(body)}`)
    fail(status === 429 ? "refused" : "unavailable")
    if (status === 429 && / waited /u.test(textOf(body, "detail"))) {
      refused++
      if (waited_ms < createTimeout_ms)
        wrong.push(`POST /browsers was refused after ${waited_ms} ms: ${body["detail"]}`)
      return
    }
    await sleep(100 + draw() * 300)
  }

  return {
    use: (kit) => {
      const chosen = kit.draw()
      if (chosen < 0.3) return burst(kit)
      return chosen < 0.55 ? hurry(kit) : browse(kit)
    },
    browse,
    creates,
    refused: () => refused
  }
}
