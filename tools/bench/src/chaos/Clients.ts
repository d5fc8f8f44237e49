/** Clients of a service of several nodes: each asks any node, and another one if that does not answer. */
import { drawing } from "@webagent/statistics/Drawing"
import { setTimeout as sleep } from "node:timers/promises"
import type { Member } from "./Cluster.ts"
import { type Files, makeFiles } from "./Files.ts"
import type { Kit } from "./Kit.ts"
import { nanoOf } from "./Observer.ts"
import type { Asked } from "./Oracle.ts"
import { handOff } from "./People.ts"
import { type Body, makeRequests, type Request, type Response, textOf } from "./Requests.ts"
import { isLimited, type Tenant } from "./Tenant.ts"
import { createTimeout_ms, makeWaits, type Waits } from "./Waits.ts"

/** Requests of clients, and the violations that they observed. */
export interface Clients {
  readonly asked: ReadonlyArray<Asked>
  /** Runs of deleted sessions, with their cost in billionths of a USD. */
  readonly deleted: ReadonlyMap<string, number>
  /** Runs that may fail, by the failure that they may have. */
  readonly mayFail: ReadonlyMap<string, string>
  /** Answers that break a promise. */
  readonly wrong: ReadonlyArray<string>
  /** The creates that waited for a browser. */
  readonly waits: Waits
  /** A request for one of its records, which another key may not see; undefined while there is none. */
  readonly record: (draw: () => number) => Request | undefined
  /** Number of requests for records of other keys. */
  readonly strangers: () => number
  readonly reads: () => number
  /** The number of walks over the list of runs. */
  readonly walks: () => number
  /** Creates runs, follow-ups, interrupts and browsers until it is told to stop; resolves when all that is over. */
  readonly work: (count: number, until: AbortSignal) => Promise<void>
  /** Creates one run of this length at a node. */
  readonly create: (member: Member, task: string) => Promise<string>
  /** Reads a run until it is over. */
  readonly ended: (id: string) => Promise<void>
}

/** A page of the list of runs. */
interface RunPage {
  readonly runs: ReadonlyArray<{ readonly id: string; readonly status: string }>
  readonly nextCursor: string | null
}

/** Settings of the clients of one API key. */
interface ClientsOptions {
  readonly apiKey: string
  /** Begins the idempotency keys of these clients. */
  readonly name: string
  /** Time that a client waits for a response before it sends the request to another node. */
  readonly patience_ms?: number | undefined
  readonly together?: number | undefined
  /** Returns whether clients delete sessions now; they do by default. */
  readonly deletes?: (() => boolean) | undefined
  /** The browsers of the service; simulated ones by default. */
  readonly browsers?: "simulated" | "chromium" | undefined
  /** Has clients use profiles and files, and hand runs over to people, too. */
  readonly tenant?: Tenant | undefined
  /** Draws a request for a record of another key. */
  readonly foreign?: ((draw: () => number) => Request | undefined) | undefined
}

/** Attempts to delete a session before it counts as impossible. */
const mostDeletes = 600

const terminal = new Set(["completed", "failed", "cancelled"])

/**
 * Share of browsers among a client's turns, of interrupts among its follow-ups, of runs that it cancels, of sessions that
 * it deletes, of creates that it repeats at another node although one answered, and of those whose connection it cuts.
 */
const shares = { browser: 0.12, interrupt: 0.3, cancel: 0.15, delete: 0.3, repeat: 0.3, cut: 0.05 }

/**
 * The same of a key's further turns: hand-offs, files, profiles, waits, and records of other keys. Only real browsers can
 * lose what a profile keeps, and they are slow.
 */
const furtherTurns = {
  simulated: { handOff: 0.15, files: 0.15, profile: 0.15, waits: 0.25, foreign: 0.05 },
  chromium: { handOff: 0.1, files: 0.05, profile: 0.5, waits: 0.1, foreign: 0.05 }
}

/** Largest time after which a client cuts the connection of a create. */
const cut_ms = 40

export const clients = (members: ReadonlyArray<Member>, seed: number, options: ClientsOptions): Clients => {
  const { apiKey, browsers = "simulated", deletes = () => true, foreign, name } = options
  const { patience_ms = 3000, tenant, together = 0.2 } = options
  const further = furtherTurns[browsers]
  const requests: Array<Asked> = []
  const wrong: Array<string> = []
  const over = new Map<string, string>()
  const costs = new Map<string, number>()
  const deleted = new Map<string, number>()
  const mayFail = new Map<string, string>()
  /** Runs whose session is deleted now, or was. */
  const doomed = new Set<string>()
  /** The workspaces of all clients. */
  const files: Array<Files> = []
  const waits = makeWaits(`${seed}-${name}`)
  let keys = 0
  /** Runs that some response named, in this order. */
  const runs = new Set<string>()
  let reads = 0
  let walks = 0
  let strangers = 0

  const client = (draw: () => number) => {
    const ofKey = makeRequests(members, { apiKey, draw, patience_ms })
    const { any, attempt } = ofKey
    const tried = (member: Member, method: string, path: string, body?: unknown, key?: string) =>
      attempt(member, { method, path, body, ...(key === undefined ? {} : { key }) })

    const create = async (kind: Asked["kind"], path: string, fields: object): Promise<Body> => {
      // some wait for a browser, others for another node
      const limits = kind === "browser" && draw() < 0.5 ? { patience_ms: createTimeout_ms * 2 } : {}
      const key = `${seed}-${name}${++keys}`
      const body = kind === "browser" && tenant !== undefined ? { ...fields, metadata: { key } } : fields
      const one: Asked = { kind, key, ids: new Set() }
      requests.push(one)
      const noted = (answer: Response | undefined) => {
        if (answer === undefined) return undefined
        if (answer.status >= 300) {
          wrong.push(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
          one.ids.add("refused")
          return answer.body
        }
        const id = textOf(answer.body, kind === "message" ? "runId" : "id")
        one.ids.add(id)
        if (kind !== "browser") runs.add(id)
        return answer.body
      }
      let firstAnswer: Body | undefined
      if (tenant !== undefined && draw() < shares.cut) {
        noted(await attempt(any(), { method: "POST", path, body, key, patience_ms: Math.ceil(draw() * cut_ms) }))
      }
      if (draw() < together) {
        const answers = await Promise.all(members.map((member) => tried(member, "POST", path, body, key)))
        firstAnswer = answers.map(noted).find((answer) => answer !== undefined)
      }
      while (firstAnswer === undefined) {
        firstAnswer = noted(await attempt(any(), { method: "POST", path, body, key, ...limits }))
        if (firstAnswer === undefined) await sleep(20 + draw() * 200)
      }
      if (draw() < shares.repeat) noted(await tried(any(), "POST", path, body, key))
      return firstAnswer
    }

    const look = async (id: string) => {
      const answer = await tried(any(), "GET", `/runs/${id}`)
      if (answer === undefined) return undefined
      reads++
      const status = textOf(answer.body, "status")
      if (answer.status !== 200) wrong.push(`run ${id}: ${answer.status}`)
      const was = over.get(id)
      if (was !== undefined && was !== status) wrong.push(`run ${id} was ${was} and then ${status}`)
      if (terminal.has(status)) over.set(id, status)
      costs.set(id, nanoOf(textOf(answer.body, "totalCostUsd")))
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
      const id = textOf(await create("browser", "/browsers", {}), "id")
      await sleep(draw() * 3000)
      // where there is a limit, soon no browser would be left
      if (draw() < 0.5 && tenant === undefined) return
      for (;;) {
        const answer = await tried(any(), "PATCH", `/browsers/${id}`, { action: "stop" })
        if (answer === undefined) continue
        if (answer.status >= 300) wrong.push(`PATCH browser ${id}: ${answer.status} ${JSON.stringify(answer.body)}`)
        return
      }
    }

    const converse = async () => {
      const made = await create("run", "/runs", { task: task() })
      const sessionId = textOf(made, "sessionId")
      const ids = [textOf(made, "id")]
      for (let more = Math.floor(draw() * 4); more > 0; more--) {
        if (draw() < 0.5) await sleep(draw() * 800)
        const interrupt = draw() < shares.interrupt
        const body = { text: task(), interrupt }
        ids.push(textOf(await create("message", `/sessions/${sessionId}/queue`, body), "runId"))
      }
      if (draw() < shares.cancel) await cancel(ids[Math.floor(draw() * ids.length)] ?? "")
      for (const run of ids) await ended(run)
      await look(ids[0] ?? "")
      // a cancelled run may still cost more
      if (deletes() && ids.every((id) => over.get(id) === "completed") && draw() < shares.delete)
        await remove(sessionId, ids)
    }

    const remove = async (sessionId: string, ids: ReadonlyArray<string>) => {
      for (const id of ids) doomed.add(id)
      for (let attempts = 0; ; attempts++) {
        const answer = await tried(any(), "POST", `/sessions/${sessionId}/purge`)
        // the node that had the last run may not have left it yet
        if (answer === undefined || answer.status === 409) {
          if (attempts === mostDeletes) return void wrong.push(`session ${sessionId} can't be deleted`)
          await sleep(50 + draw() * 200)
          continue
        }
        // gone by an attempt whose response was lost
        if (answer.status !== 204 && !(answer.status === 404 && attempts > 0)) {
          return void wrong.push(`purge of session ${sessionId}: ${answer.status}`)
        }
        for (const id of ids) deleted.set(id, costs.get(id) ?? 0)
        return
      }
    }

    const cancel = async (id: string) => {
      for (;;) {
        const answer = await tried(any(), "POST", `/runs/${id}/cancel`)
        if (answer === undefined) continue
        if (answer.status !== 200) wrong.push(`cancel of run ${id}: ${answer.status}`)
        return
      }
    }

    /** Reads all pages of a list, each at another node: runs that were there before are there once. */
    const walk = async () => {
      const before = [...runs]
      const overBefore = new Map(over)
      const deletedBefore = new Set(deleted.keys())
      const statuses = new Map<string, string>()
      let cursor = ""
      for (;;) {
        const limit = 1 + Math.floor(draw() * 100)
        const page = await tried(any(), "GET", `/runs?limit=${limit}${cursor}`)
        if (page === undefined) {
          await sleep(50 + draw() * 200)
          continue
        }
        if (page.status !== 200) return void wrong.push(`GET /runs: ${page.status} ${JSON.stringify(page.body)}`)
        const { nextCursor, runs: rows } = page.body as unknown as RunPage
        for (const { id, status } of rows) {
          if (statuses.has(id)) wrong.push(`a walk had run ${id} twice`)
          statuses.set(id, status)
          if (deletedBefore.has(id)) wrong.push(`a walk had run ${id}, which was deleted before`)
        }
        if (nextCursor === null) break
        cursor = `&cursor=${encodeURIComponent(nextCursor)}`
      }
      for (const id of before) if (!statuses.has(id) && !doomed.has(id)) wrong.push(`a walk missed run ${id}`)
      for (const [id, status] of overBefore) {
        if (doomed.has(id)) continue
        if (statuses.get(id) !== status) wrong.push(`run ${id} was ${status}, and ${statuses.get(id)} in a list`)
      }
      walks++
    }

    /** Asks for a record of another key, which isn't there for this one. */
    const trespass = async () => {
      const request = foreign?.(draw)
      if (request === undefined) return
      const { body, status } = await ofKey.insist(request)
      strangers++
      if (status !== 404) wrong.push(`${request.method} ${request.path} as ${name}: ${status} ${JSON.stringify(body)}`)
    }

    const everyday = () => (draw() < shares.browser ? browse() : converse())
    if (tenant === undefined) return { create, ended, walk, turn: everyday }

    const kit: Kit = { draw, requests: ofKey, create, ended, mayFail, wrong }
    const own = makeFiles(kit, `${name}${files.length}`)
    files.push(own)
    const turn = () => {
      // other browsers don't count for its limit then
      if (isLimited(tenant.key)) return draw() < 0.5 ? browse() : waits.browse(kit)
      let chosen = draw()
      const is = (share: number) => (chosen -= share) < 0
      if (is(further.handOff)) return handOff(kit)
      if (is(further.files)) return own.use()
      if (is(further.profile)) return tenant.profiles.use(kit)
      if (is(further.waits)) return waits.use(kit)
      return is(further.foreign) ? trespass() : everyday()
    }
    return { create, ended, walk, turn }
  }

  const single = client(drawing(seed + 1))
  return {
    asked: requests,
    deleted,
    mayFail,
    wrong,
    waits,
    reads: () => reads,
    walks: () => walks,
    strangers: () => strangers,
    record: (draw) => {
      const chosen = draw()
      if (tenant !== undefined && chosen < 0.5) return tenant.record(draw)
      const workspaces = files.flatMap(({ ids }) => ids())
      const workspace = workspaces[Math.floor(draw() * workspaces.length)]
      if (chosen < 0.7 && workspace !== undefined) return { method: "GET", path: `/workspaces/${workspace}/files` }
      const open = [...runs].filter((id) => !doomed.has(id))
      const run = open[Math.floor(draw() * open.length)]
      if (run === undefined) return undefined
      return chosen < 0.85
        ? { method: "GET", path: `/runs/${run}` }
        : { method: "POST", path: `/runs/${run}/answer`, body: { questionId: "1", answer: "Red" } }
    },
    work: async (count, until) => {
      const one = async (index: number) => {
        const { turn } = client(drawing(seed * 1000 + index))
        while (!until.aborted) await turn()
      }
      const walking = async () => {
        const { walk } = client(drawing(seed * 1000 + count))
        // once more over all of them
        for (let isLast = false; !isLast;) {
          isLast = until.aborted
          await walk()
          await sleep(100)
        }
      }
      await Promise.all([walking(), ...Array.from({ length: count }, (_, index) => one(index))])
      for (const { verify } of files) await verify()
    },
    create: async (member, text) => {
      const key = `${seed}-${name}${++keys}`
      const { send } = makeRequests([member], { apiKey, draw: () => 0, patience_ms })
      const { body, status } = await send(member, { method: "POST", path: "/runs", body: { task: text }, key })
      const id = textOf(body, "id")
      if (status >= 300) wrong.push(`POST /runs: ${status}`)
      requests.push({ kind: "run", key, ids: new Set([id]) })
      return id
    },
    ended: single.ended
  }
}
