/** A program that receives webhooks. It fails at random, and notes each request in the order of its arrival. */
import { drawing } from "@webagent/statistics/Drawing"
import { unwrap } from "@webagent/v4/webhooks"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

/** A webhook of a key, as its owner knows it. */
export interface Hook {
  id: string
  readonly url: string
  /** Name of the key. */
  readonly owner: string
  readonly types: ReadonlyArray<string>
  /** Its secrets so far. */
  readonly secrets: Array<string>
  /** Time of the response to its delete; null before that. */
  deletedAt_ms: number | null
}

/** A request that arrived. */
export interface Arrival {
  readonly hook: Hook
  /** The same for a message that is sent again. */
  readonly messageId: string
  readonly type: string
  /** Id of the run or browser. */
  readonly subject: string
  /** Time of the change that it's about. */
  readonly changedAt_ms: number
  readonly at_ms: number
  /** The number of arrivals and acknowledgments before this arrival, and before its acknowledgment; null without one. */
  readonly order: number
  acknowledged: number | null
}

/** A receiver that listens. */
export interface Receiver {
  readonly arrivals: ReadonlyArray<Arrival>
  /** Requests that no webhook of this server sends. */
  readonly wrong: ReadonlyArray<string>
  /** Adds a webhook, whose id and secret its owner sets once it's created. */
  readonly add: (owner: string, name: string, types: ReadonlyArray<string>) => Hook
  readonly close: () => Promise<void>
}

/** Share of messages whose first attempt fails. */
const failing = 0.25

/** Ways to fail: a status, a redirect, which senders may not follow, or a cut connection. */
const failures = ["500", "redirect", "cut"] as const

/** Share of messages whose first attempt gets no response at all. */
const hanging = 1 / 16

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString("utf8")
}

/** Starts a receiver. `hangs` says whether it leaves some requests without a response, for which a sender waits 10 s. */
export const receive = async (seed: number, hangs: boolean): Promise<Receiver> => {
  const hooks = new Map<string, Hook>()
  const arrivals: Array<Arrival> = []
  const wrong: Array<string> = []
  const seen = new Set<string>()
  let order = 0

  /** The failure of the first attempt of a message, the same for a seed; undefined for none. */
  const failureOf = (hook: Hook, messageId: string) => {
    const name = `${hook.url} ${messageId}`
    if (seen.has(name)) return undefined
    seen.add(name)
    const draw = drawing(seed + Number.parseInt(messageId.slice(4, 11), 16))
    const chosen = draw()
    if (hangs && chosen < hanging) return "hang"
    return chosen < failing ? failures[Math.floor(draw() * failures.length)] : undefined
  }

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const at_ms = Date.now()
    const body = await bodyOf(request)
    const hook = hooks.get(request.url ?? "")
    if (hook === undefined) return void wrong.push(`a webhook was sent to ${request.url}, which no key has`)
    // the request may come before the response to the create, which has the secret
    while (hook.secrets.length === 0) await sleep(10)
    const messageId = String(request.headers["webhook-id"])
    let event: ReturnType<typeof unwrap>
    try {
      event = unwrap(body, request.headers, hook.secrets)
    } catch (error) {
      response.writeHead(400).end()
      return void wrong.push(`message ${messageId} to ${hook.url}: ${error instanceof Error ? error.message : ""}`)
    }
    const { data, timestamp, type } = event
    const arrival: Arrival = {
      hook,
      messageId,
      type,
      subject: "id" in data ? data.id : "",
      changedAt_ms: Date.parse(timestamp),
      at_ms,
      order: ++order,
      acknowledged: null
    }
    arrivals.push(arrival)
    switch (failureOf(hook, messageId)) {
      case "500":
        return void response.writeHead(500).end()
      case "redirect":
        return void response.writeHead(302, { location: "/elsewhere" }).end()
      case "cut":
        return void request.socket.destroy()
      case "hang":
        return
      case undefined:
        arrival.acknowledged = ++order
        response.writeHead(204).end()
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo

  return {
    arrivals,
    wrong,
    add: (owner, name, types) => {
      const path = `/${owner}/${name}`
      const hook: Hook = {
        id: "",
        url: `http://127.0.0.1:${port}${path}`,
        owner,
        types,
        secrets: [],
        deletedAt_ms: null
      }
      hooks.set(path, hook)
      return hook
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => void server.close(resolve))
    }
  }
}
