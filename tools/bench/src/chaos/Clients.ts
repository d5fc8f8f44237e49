/** Clients of a service of several nodes: each asks any node, and another one if that does not answer. */
import { drawing } from "@webagent/statistics/Drawing"
import { setTimeout as sleep } from "node:timers/promises"
import { apiKey, type Member } from "./Cluster.ts"
import type { Asked } from "./Oracle.ts"

/** Requests of clients, and the violations that they observed. */
export interface Clients {
  readonly asked: ReadonlyArray<Asked>
  /** Answers that break a promise. */
  readonly wrong: ReadonlyArray<string>
  readonly reads: () => number
  /** Creates runs, follow-ups, interrupts and browsers until it is told to stop; resolves when all that is over. */
  readonly work: (count: number, until: AbortSignal) => Promise<void>
  /** Creates one run of this length at a node. */
  readonly create: (member: Member, task: string) => Promise<string>
  /** Reads a run until it is over. */
  readonly ended: (id: string) => Promise<void>
}

const terminal = new Set(["completed", "failed", "cancelled"])

/** Share of browsers among a client's turns, and of interrupts among its follow-ups. */
const shares = { browser: 0.12, interrupt: 0.3 }

export const clients = (
  members: ReadonlyArray<Member>,
  seed: number,
  {
    patience_ms = 3000,
    together = 0.2
  }: {
    /** Time that a client waits for a response before it sends the request to another node. */
    readonly patience_ms?: number | undefined
    readonly together?: number | undefined
  } = {}
): Clients => {
  const requests: Array<Asked> = []
  const wrong: Array<string> = []
  const over = new Map<string, string>()
  let keys = 0
  let reads = 0

  const request = async (member: Member, method: string, path: string, body?: unknown, key?: string) => {
    const response = await fetch(`${member.url}/api/v4${path}`, {
      method,
      signal: AbortSignal.timeout(patience_ms),
      headers: {
        "x-service-api-key": apiKey,
        "content-type": "application/json",
        ...(key === undefined ? {} : { "idempotency-key": key })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: response.status, body: (await response.json()) as Readonly<Record<string, string>> }
  }

  /** An answer; undefined if the node is gone, frozen or without its database. */
  const tried = async (...args: Parameters<typeof request>) => {
    const answer = await request(...args).catch(() => undefined)
    if (answer === undefined || answer.status === 503 || answer.status === 429) return undefined
    return answer
  }

  const client = (draw: () => number) => {
    const any = () => members[Math.floor(draw() * members.length)] ?? (members[0] as Member)

    const create = async (kind: Asked["kind"], path: string, body: unknown) => {
      const key = `${seed}-${++keys}`
      const one: Asked = { kind, key, ids: new Set() }
      requests.push(one)
      const noted = (answer: Awaited<ReturnType<typeof tried>>) => {
        if (answer === undefined) return undefined
        if (answer.status >= 300) {
          wrong.push(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
          one.ids.add("refused")
          return answer.body
        }
        one.ids.add((kind === "message" ? answer.body["runId"] : answer.body["id"]) ?? "")
        return answer.body
      }
      let firstAnswer: Readonly<Record<string, string>> | undefined
      if (draw() < together) {
        const answers = await Promise.all(members.map((member) => tried(member, "POST", path, body, key)))
        firstAnswer = answers.map(noted).find((answer) => answer !== undefined)
      }
      while (firstAnswer === undefined) {
        firstAnswer = noted(await tried(any(), "POST", path, body, key))
        if (firstAnswer === undefined) await sleep(20 + draw() * 200)
      }
      return firstAnswer
    }

    const look = async (id: string) => {
      const answer = await tried(any(), "GET", `/runs/${id}`)
      if (answer === undefined) return undefined
      reads++
      const status = answer.body["status"] ?? ""
      if (answer.status !== 200) wrong.push(`run ${id}: ${answer.status}`)
      const was = over.get(id)
      if (was !== undefined && was !== status) wrong.push(`run ${id} was ${was} and then ${status}`)
      if (terminal.has(status)) over.set(id, status)
      return status
    }

    const ended = async (id: string) => {
      for (;;) {
        const status = await look(id)
        if (status !== undefined && (terminal.has(status) || status === "")) return
        await sleep(100 + draw() * 300)
      }
    }

    const task = () => `Find a mug [simulate output=found duration=${Math.floor(200 + draw() * draw() * 4000)}ms]`

    const browse = async () => {
      const { id } = await create("browser", "/browsers", {})
      await sleep(draw() * 3000)
      if (draw() < 0.5) return
      for (;;) {
        const answer = await tried(any(), "PATCH", `/browsers/${id}`, { action: "stop" })
        if (answer === undefined) continue
        if (answer.status >= 300) wrong.push(`PATCH browser ${id}: ${answer.status} ${JSON.stringify(answer.body)}`)
        return
      }
    }

    const converse = async () => {
      const { id = "", sessionId } = await create("run", "/runs", { task: task() })
      const runs = [id]
      for (let more = Math.floor(draw() * 4); more > 0; more--) {
        if (draw() < 0.5) await sleep(draw() * 800)
        const interrupt = draw() < shares.interrupt
        const { runId = "" } = await create("message", `/sessions/${sessionId}/queue`, { text: task(), interrupt })
        runs.push(runId)
      }
      for (const run of runs) await ended(run)
      await look(runs[0] ?? "")
    }

    return { create, ended, turn: () => (draw() < shares.browser ? browse() : converse()) }
  }

  const single = client(drawing(seed + 1))
  return {
    asked: requests,
    wrong,
    reads: () => reads,
    work: async (count, until) => {
      const one = async (index: number) => {
        const { turn } = client(drawing(seed * 1000 + index))
        while (!until.aborted) await turn()
      }
      await Promise.all(Array.from({ length: count }, (_, index) => one(index)))
    },
    create: async (member, text) => {
      const key = `${seed}-${++keys}`
      const { body, status } = await request(member, "POST", "/runs", { task: text }, key)
      const { id = "" } = body
      if (status >= 300) wrong.push(`POST /runs: ${status}`)
      requests.push({ kind: "run", key, ids: new Set([id]) })
      return id
    },
    ended: single.ended
  }
}
