/** The records of one API key that all its clients use: profiles, webhooks and schedules. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Member } from "./Cluster.ts"
import type { Asked } from "./Oracle.ts"
import { makeProfiles, type Profiles } from "./Profiles.ts"
import type { Hook, Receiver } from "./Receiver.ts"
import type { RealBrowsers } from "./RealBrowsers.ts"
import { makeRequests, type Request, type Requests, textOf } from "./Requests.ts"

const admin = "/admin/v1"

/** The limits of a key; null for any number. */
export interface Limits {
  readonly runs: number | null
  /** The browsers of idle sessions count, so a key with such a limit has no runs. */
  readonly browsers: number | null
}

/** An API key. */
export interface Key {
  /** Its name, which is the owner of its records. */
  readonly name: string
  readonly secret: string
  /** Null if it has none. */
  readonly limits: Limits | null
}

/** The keys of the service: one without limits, one with few runs, and one with few browsers. */
const planned: ReadonlyArray<Pick<Key, "limits" | "name">> = [
  { name: "ann", limits: null },
  { name: "bob", limits: { runs: 6, browsers: null } },
  { name: "cat", limits: { runs: null, browsers: 2 } }
]

/** True for a key with few browsers. */
export const isLimited = ({ limits }: Pick<Key, "limits">): boolean => typeof limits?.browsers === "number"

/** Creates the keys of the service. */
export const createKeys = (member: Member, adminKey: string): Promise<ReadonlyArray<Key>> => {
  const { send } = makeRequests([member], { apiKey: adminKey, draw: () => 0, patience_ms: 30_000 })
  return Promise.all(
    planned.map(async ({ limits, name }) => {
      const { runs = null, browsers = null } = limits ?? {}
      const body = { name, limits: { runs, browsers, requestsPerMinute: null, usdPerDay: null } }
      const response = await send(member, { method: "POST", path: `${admin}/keys`, body })
      return { name, limits, secret: textOf(response.body, "secret") }
    })
  )
}

/** Records that the clients of one key share. */
export interface Tenant {
  readonly key: Key
  readonly hooks: ReadonlyArray<Hook>
  /** The creates of schedules, one for each time that was due. */
  readonly asked: ReadonlyArray<Asked>
  /** Number of times that schedules were due. */
  readonly due: () => number
  readonly profiles: Profiles
  /** Has schedules be due one time after the other until it's told to stop, and changes the webhooks meanwhile. */
  readonly work: (until: AbortSignal) => Promise<void>
  /** A request for one of its records, which another key may not see. */
  readonly record: (draw: () => number) => Request
}

interface TenantOptions {
  readonly key: Key
  readonly members: ReadonlyArray<Member>
  readonly draw: () => number
  readonly receiver: Receiver
  /** Sets the time that a schedule is due. */
  readonly setDue: (schedule: string, due_ms: number) => Promise<void>
  /** Time until the webhook that is deleted goes. */
  readonly deleteAfter_ms: number
  /** Opens a page in a real browser with a profile. Simulated ones remember nothing. */
  readonly visit?: RealBrowsers["visit"] | undefined
  /** Number of happenings so far. */
  readonly happened: () => number
  readonly wrong: Array<string>
}

/** Time after which a due time counts as lost. */
const patience_ms = 120_000

const runTypes = ["run.completed", "run.failed", "run.cancelled", "run.waiting"]

/** Creates the records of a key. */
export const makeTenant = async (options: TenantOptions): Promise<Tenant> => {
  const { deleteAfter_ms, draw, happened, key, members, receiver, setDue, visit, wrong } = options
  const requests: Requests = makeRequests(members, { apiKey: key.secret, draw, patience_ms: 5000 })
  const asked: Array<Asked> = []

  let creates = 0
  /** Creates a record once, although two nodes may get its create at the same time. */
  const make = async (path: string, body: object) => {
    const create: Request = { method: "POST", path, body, key: `${key.name}-record-${++creates}` }
    const [response, twin] = await Promise.all([requests.insist(create), requests.insist(create)])
    const text = JSON.stringify(response.body)
    if (response.status !== 201) throw new Error(`POST ${path}: ${response.status} ${text}`)
    if (JSON.stringify(twin.body) !== text) wrong.push(`POST ${path} made two records with one key`)
    return response.body
  }

  const profiles = await makeProfiles({
    owner: key.name,
    create: async (name) => textOf(await make("/profiles", { name }), "id"),
    visit,
    happened
  })

  const createHook = async (name: string, types: ReadonlyArray<string>) => {
    const hook = receiver.add(key.name, name, types)
    const body = await make(`${admin}/webhooks`, { url: hook.url, events: types })
    hook.id = textOf(body["webhook"] as Readonly<Record<string, unknown>>, "id")
    hook.secrets.push(textOf(body, "secret"))
    return hook
  }
  const runs = await createHook("runs", runTypes)
  const browsers = await createHook("browsers", ["browser.stopped"])
  const doomed = await createHook("doomed", [...runTypes, "browser.stopped"])

  const schedules: Array<string> = []
  // their runs would use browsers, which count for a limit
  for (const name of isLimited(key) ? [] : ["prices", "stock"]) {
    const run = { task: `Look at the ${name} [simulate steps=0 duration=200ms]` }
    const schedule = await make(`${admin}/schedules`, { name, cron: "0 6 1 1 *", missed: "once", run })
    schedules.push(textOf(schedule, "id"))
  }

  /** One time of a schedule: exactly one run, or the limit of the key as the reason why there is none. */
  const fire = async (schedule: string) => {
    const due_ms = Date.now() + Math.floor(200 + draw() * 1500)
    await setDue(schedule, due_ms)
    const due = new Date(due_ms).toISOString()
    while (Date.now() < due_ms + patience_ms) {
      const { body, status } = await requests.insist({ method: "GET", path: `${admin}/schedules/${schedule}` })
      if (status !== 200) return void wrong.push(`schedule ${schedule}: ${status}`)
      if (textOf(body, "lastDueAt") === due) {
        const reason = textOf(body, "lastError")
        if (reason === "") {
          const run = textOf(body, "lastRunId")
          asked.push({ kind: "run", key: `schedule ${schedule} at ${due}`, ids: new Set([run]) })
        } else if (key.limits === null || !reason.includes("open runs")) {
          wrong.push(`schedule ${schedule} started no run at ${due}: ${reason}`)
        }
        return
      }
      await sleep(200)
    }
    wrong.push(`schedule ${schedule} was never due at ${due}`)
  }

  const rotate = async () => {
    // without an idempotency key: a rotation whose response was lost would be a second one
    const response = await requests.attempt(requests.any(), {
      method: "POST",
      path: `${admin}/webhooks/${runs.id}/rotate`
    })
    if (response?.status === 201) runs.secrets.push(textOf(response.body, "secret"))
  }

  return {
    key,
    hooks: [runs, browsers, doomed],
    asked,
    due: () => asked.length,
    profiles,
    work: async (until) => {
      const scheduling = schedules.map(async (schedule) => {
        while (!until.aborted) await fire(schedule)
      })
      const changing = async () => {
        await sleep(deleteAfter_ms / 2)
        await rotate()
        await sleep(deleteAfter_ms / 2)
        const { status } = await requests.insist({ method: "DELETE", path: `${admin}/webhooks/${doomed.id}` })
        // 404 after a delete whose response was lost
        if (status !== 204 && status !== 404) wrong.push(`DELETE of webhook ${doomed.id}: ${status}`)
        doomed.deletedAt_ms = Date.now()
      }
      await Promise.all([changing(), ...scheduling])
    },
    record: (draw) => {
      const records: ReadonlyArray<Request> = [
        { method: "GET", path: `/profiles/${profiles.id(0)}` },
        { method: "DELETE", path: `/profiles/${profiles.id(1)}` },
        { method: "GET", path: `${admin}/webhooks/${runs.id}/deliveries` },
        { method: "POST", path: `${admin}/webhooks/${runs.id}/rotate` },
        { method: "PATCH", path: `${admin}/webhooks/${browsers.id}`, body: { active: false } },
        { method: "DELETE", path: `${admin}/webhooks/${browsers.id}` },
        { method: "POST", path: "/browsers", body: { profileId: profiles.id(0) } },
        { method: "POST", path: "/runs", body: { task: "Steal", browserSettings: { profileId: profiles.id(1) } } },
        ...schedules.flatMap((schedule): ReadonlyArray<Request> => [
          { method: "GET", path: `${admin}/schedules/${schedule}` },
          { method: "PATCH", path: `${admin}/schedules/${schedule}`, body: { active: false } },
          { method: "POST", path: `${admin}/schedules/${schedule}/run` }
        ])
      ]
      return records[Math.floor(draw() * records.length)] as Request
    }
  }
}
