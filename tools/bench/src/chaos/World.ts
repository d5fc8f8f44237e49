/** Resources of the clients of a chaos: two keys with their records, a receiver of webhooks, and a folder of files. */
import { drawing } from "@webagent/statistics/Drawing"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { adminKey, type Member } from "./Cluster.ts"
import { brokenDeliveries, openDeliveries } from "./Deliveries.ts"
import type { observe } from "./Observer.ts"
import { brokenQueue, type QueueEvidence, unclaimed } from "./BrowserQueue.ts"
import type { Disturbances } from "./DisturbedTimes.ts"
import { aboveLimit, aboveRoom, type Evidence, sharedWriters, twiceCreated } from "./Oracle.ts"
import { makeRealBrowsers } from "./RealBrowsers.ts"
import { receive } from "./Receiver.ts"
import { makeRequests, textOf } from "./Requests.ts"
import { type Kept, keptSignIns } from "./Profiles.ts"
import { createKeys, isLimited, makeTenant, type Tenant } from "./Tenant.ts"
import { createTimeout_ms } from "./Waits.ts"

type Observer = Awaited<ReturnType<typeof observe>>

/** Counts of what was used. */
export interface Used {
  readonly questions: number
  readonly answers: number
  readonly files: number
  readonly profileBrowsers: number
  readonly profilesDeleted: number
  /** Visits of real browsers to which a saved sign-in came; null with simulated browsers. */
  readonly kept: Kept | null
  /** Requests to webhooks that arrived, and messages that were acknowledged. */
  readonly webhookRequests: number
  readonly webhookMessages: number
  readonly scheduled: number
  /** Runs that waited for a browser, and those of them that failed because none was free in time. */
  readonly queued: number
  readonly unplaced: number
  /** Browsers of closed connections that ran on, because the response may have been on its way. */
  readonly unclaimed: number
}

/** The world of one chaos. */
export interface World {
  readonly flags: ReadonlyArray<string>
  /** Those of one node. */
  readonly flagsOf: (node: string) => ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string>>
  /** Creates the keys and their records at a node that is up. */
  readonly begin: (observer: Observer, first: Member, members: ReadonlyArray<Member>) => Promise<ReadonlyArray<Tenant>>
  /** Has a node take nothing new for a while. */
  readonly drain: (member: Member, members: ReadonlyArray<Member>, away_ms: number) => Promise<void>
  /** Waits until all webhooks are delivered, and returns every promise that is broken. */
  readonly broken: (
    observer: Observer,
    evidence: Omit<QueueEvidence, "events" | "starting">,
    disturbances: Disturbances
  ) => Promise<ReadonlyArray<string>>
  readonly used: (
    observer: Observer,
    evidence: Omit<QueueEvidence, "events" | "starting">,
    disturbances: Disturbances
  ) => Promise<Used>
  readonly close: () => Promise<void>
}

/** Number of browsers of each node: so few that most runs wait. */
const mostBrowsers = 2

/** Number of them that a key may have at a node: at one they all have a share, at the others only turns. */
const mostPerKey = (node: string) => (node.startsWith("n1") ? 1 : mostBrowsers)

/** Time by which the records of two launches show their order; a real browser takes some time to start. */
const visible_ms = { simulated: 1000, chromium: 8000 }

/** Number of runs that waited for a browser. */
const queuedIn = ({ events }: Pick<Evidence, "events">) =>
  new Set(events.flatMap(({ event }) => (event.browserQueue === undefined ? [] : [event.id]))).size

/** Time without a delivery after which the rest counts as lost. */
const patience_ms = 120_000

interface WorldOptions {
  readonly browsers: "simulated" | "chromium"
  readonly duration_ms: number
  /** True if the receiver leaves some requests without a response. */
  readonly hangs: boolean
  /** Number of happenings so far. */
  readonly happened: () => number
}

export const makeWorld = async (
  seed: number,
  { browsers: kind, duration_ms, hangs, happened }: WorldOptions
): Promise<World> => {
  const draw = drawing(seed + 7)
  const receiver = await receive(seed, hangs)
  const folder = mkdtempSync(join(tmpdir(), "webagent-chaos-"))
  const files = join(folder, "files")
  const real = kind === "chromium" ? await makeRealBrowsers(folder) : undefined
  const tenants: Array<Tenant> = []
  const wrong: Array<string> = []
  const hooks = () => tenants.flatMap((tenant) => tenant.hooks)
  const visits = () => tenants.flatMap(({ profiles }) => profiles.visits)
  const deletedProfiles = () => tenants.flatMap(({ profiles }) => profiles.deleted)

  const delivered = async (observer: Observer) => {
    let last = -1
    for (let since_ms = performance.now(); performance.now() - since_ms < patience_ms;) {
      if (openDeliveries(hooks(), receiver.arrivals, observer.events) === 0) return
      if (receiver.arrivals.length !== last) {
        last = receiver.arrivals.length
        since_ms = performance.now()
      }
      await sleep(200)
    }
  }

  /** The ids of the files in the folder. */
  const bytes = () =>
    existsSync(files)
      ? readdirSync(files, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !entry.name.startsWith("database-"))
          .map(({ name }) => name.replace(/\.part$/u, ""))
      : []

  /** Bytes that no server will ever delete. */
  const leaked = async (observer: Observer) => {
    const before = bytes()
    const recorded = new Set(await observer.fileIds())
    const after = new Set(bytes())
    return before.filter((id) => after.has(id) && !recorded.has(id)).map((id) => `the bytes of file ${id} are leaked`)
  }

  return {
    flags: [
      ["--admin-key", adminKey, "--files", files, "--allow-private-webhooks"],
      ["--max-browsers", String(mostBrowsers), "--browser-queue-timeout", `${createTimeout_ms}ms`],
      real?.flags ?? []
    ].flat(),
    flagsOf: (node) => ["--max-browsers-per-key", String(mostPerKey(node))],
    environment: real?.environment ?? {},
    begin: async (observer, first, members) => {
      for (const key of await createKeys(first, adminKey)) {
        const deleteAfter_ms = duration_ms * (0.3 + draw() * 0.4)
        const options = {
          key,
          members,
          draw,
          receiver,
          setDue: observer.setDue,
          deleteAfter_ms,
          visit: real?.visit,
          happened,
          wrong
        }
        tenants.push(await makeTenant(options))
      }
      return tenants
    },
    drain: async (member, members, away_ms) => {
      const { insist } = makeRequests(members, { apiKey: adminKey, draw, patience_ms: 5000 })
      const { body } = await insist({ method: "GET", path: "/admin/v1/nodes" })
      const nodes = Object.values(body) as ReadonlyArray<Readonly<Record<string, unknown>>>
      const id = nodes.map((node) => textOf(node, "id")).find((one) => one.startsWith(`${member.name}.`))
      if (id === undefined) return
      // the node may be gone before one of them
      await insist({ method: "POST", path: `/admin/v1/nodes/${id}/drain` })
      await sleep(away_ms)
      await insist({ method: "POST", path: `/admin/v1/nodes/${id}/undrain` })
    },
    broken: async (observer, evidence, disturbances) => {
      await delivered(observer)
      const { events, starting } = observer
      const { browsers } = evidence
      const room = {
        most: mostBrowsers,
        mostPerKey,
        limited: new Set(tenants.flatMap(({ key }) => (isLimited(key) ? [key.name] : []))),
        visible_ms: visible_ms[kind]
      }
      return [
        ...wrong,
        ...receiver.wrong,
        ...(await observer.refusedMessages()),
        ...brokenDeliveries(hooks(), receiver.arrivals, events),
        ...sharedWriters(browsers, events),
        ...twiceCreated(browsers, events),
        ...aboveRoom(browsers, events, room.most, disturbances.hits),
        ...brokenQueue({ ...evidence, events, starting }, room, disturbances),
        // without them, this proves nothing about the queue and the profiles
        ...(queuedIn({ events }) === 0 ? ["no run waited for a browser"] : []),
        ...(real !== undefined && keptSignIns(visits(), browsers, disturbances.hits).elsewhere === 0
          ? ["no sign-in came to another node"]
          : []),
        ...(await observer.profileStates(deletedProfiles())),
        ...tenants.flatMap(({ key: { limits, name: owner } }) =>
          limits === null
            ? []
            : [
                ...aboveLimit(observer.peaks, { of: "runs", owner, most: limits.runs ?? Infinity }),
                ...aboveLimit(observer.peaks, { of: "browsers", owner, most: limits.browsers ?? Infinity })
              ]
        ),
        ...(await leaked(observer))
      ]
    },
    used: async (observer, { browsers, creates, turns }, { hits }) => {
      const outcomes = turns.flatMap(({ questions = [] }) => questions.map(({ outcome }) => outcome?.kind))
      const acknowledged = receiver.arrivals.filter((arrival) => arrival.acknowledged !== null)
      return {
        questions: outcomes.length,
        answers: outcomes.filter((kind) => kind === "answered").length,
        files: (await observer.fileIds()).length,
        profileBrowsers: browsers.filter(({ profile }) => profile !== null).length,
        profilesDeleted: deletedProfiles().length,
        kept: real === undefined ? null : keptSignIns(visits(), browsers, hits),
        webhookRequests: receiver.arrivals.length,
        webhookMessages: new Set(acknowledged.map(({ hook, messageId }) => `${hook.url} ${messageId}`)).size,
        queued: queuedIn(observer),
        unplaced: turns.filter(({ failure }) => failure === "no_browser").length,
        unclaimed: unclaimed({ browsers, creates, events: observer.events }),
        scheduled: tenants.reduce((sum, tenant) => sum + tenant.due(), 0)
      }
    },
    close: async () => {
      await receiver.close()
      await real?.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
