/** The profiles of one API key: browsers save sign-ins in them, and later browsers of the key are signed in. */
import type { Browser } from "@webagent/engine"
import { setTimeout as sleep } from "node:timers/promises"
import type { Kit } from "./Kit.ts"
import type { Hit } from "./Oracle.ts"
import type { RealBrowsers } from "./RealBrowsers.ts"
import { type Body, type Request, textOf } from "./Requests.ts"

/** A profile, and the sign-ins that it may have: at least the last one that was saved, and no later one than those made. */
interface Profile {
  readonly id: string
  readonly name: string
  saved: number
  made: number
}

/** A page that a browser opened: who was signed in there before, and who signed in. */
export interface Visit {
  readonly browserId: string
  readonly at_ms: number
  readonly before: string
  readonly after: string | null
}

/** The profiles of one key. */
export interface Profiles {
  readonly visits: ReadonlyArray<Visit>
  /** Profiles that were deleted for good. */
  readonly deleted: ReadonlyArray<string>
  /** Uses a profile in one of the ways. */
  readonly use: (kit: Kit) => Promise<void>
  /** The profile with this number. */
  readonly id: (at: number) => string
}

interface ProfilesOptions {
  readonly owner: string
  /** Creates a profile, and returns its id. */
  readonly create: (name: string) => Promise<string>
  /** Opens a page in a real browser with a profile. Simulated ones remember nothing. */
  readonly visit: RealBrowsers["visit"] | undefined
  /** Number of happenings so far. */
  readonly happened: () => number
}

const numberOf = (user: string) => Number(/-(?<number>\d+)$/u.exec(user)?.groups?.["number"] ?? 0)

/** Creates the profiles of a key. */
export const makeProfiles = async ({ create, happened, owner, visit }: ProfilesOptions): Promise<Profiles> => {
  const visits: Array<Visit> = []
  const deleted: Array<string> = []
  const profiles: Array<Profile> = []
  const add = async (name: string): Promise<Profile> => ({ id: await create(name), name, saved: 0, made: 0 })
  for (const name of ["shop", "mail"]) profiles.push(await add(name))
  let discarded = 0

  /** Opens the site in a browser that has just started, and signs in there if its state is saved. */
  const signIn = async ({ wrong }: Kit, profile: Profile, saved: number, made: Body) => {
    const { name } = profile
    const id = textOf(made, "id")
    const next = textOf(made, "profileMode") === "write" ? ++profile.made : null
    const after = next === null ? null : `${owner}-${name}-${next}`
    const seen = await visit?.(textOf(made, "cdpUrl"), after)
    if (seen === undefined) return undefined
    const { signedIn, stored } = seen
    visits.push({ browserId: id, at_ms: Date.now(), before: signedIn, after })
    if (signedIn !== stored) wrong.push(`browser ${id} has the cookie of "${signedIn}" and the storage of "${stored}"`)
    if (signedIn !== "" && !signedIn.startsWith(`${owner}-${name}-`)) {
      wrong.push(`browser ${id} of ${owner} and profile ${name} is signed in as ${signedIn}`)
    }
    const number = numberOf(signedIn)
    if (number < saved || number > profile.made) {
      wrong.push(`browser ${id} is signed in as "${signedIn}", and ${owner}-${name}-${saved} was saved`)
    }
    return next ?? undefined
  }

  const stop = async ({ requests, wrong }: Kit, id: string): Promise<boolean> => {
    const request: Request = { method: "PATCH", path: `/browsers/${id}`, body: { action: "stop" } }
    const first = await requests.attempt(requests.any(), { ...request, patience_ms: 20_000 })
    const stopped = first ?? (await requests.insist(request))
    if (stopped.status !== 200) wrong.push(`PATCH browser ${id}: ${stopped.status} ${JSON.stringify(stopped.body)}`)
    return first?.status === 200
  }

  /** Creates a browser with the profile, signs in, and stops it. */
  const browse = async (kit: Kit) => {
    const { create, draw, requests, wrong } = kit
    const profile = profiles[Math.floor(draw() * profiles.length)] as Profile
    const { saved } = profile
    const before = happened()
    const made = await create("browser", "/browsers", { profileId: profile.id })
    const id = textOf(made, "id")
    const mode = textOf(made, "profileMode")
    if (mode !== "read" && mode !== "write") wrong.push(`browser ${id} has its profile for ${mode}`)
    const next = await signIn(kit, profile, saved, made)
    await sleep(draw() * 2000)
    const isStopped = await stop(kit, id)
    // only this response says that the profile is saved, unless its node or the database went away
    if (next === undefined || !isStopped || happened() > before) return
    const { body } = await requests.insist({ method: "GET", path: `/admin/v1/browsers/${id}` })
    if (textOf(body, "stopReason") === "asked") profile.saved = Math.max(profile.saved, next)
  }

  /** A run whose browser has the profile. It's that of the session, and gives way when another one needs it. */
  const run = async ({ create, draw, ended }: Kit) => {
    const { id } = profiles[Math.floor(draw() * profiles.length)] as Profile
    const task = "Look at the shop [simulate output=found duration=300ms]"
    const made = await create("run", "/runs", { task, browserSettings: { profileId: id } })
    await ended(textOf(made, "id"))
  }

  /** Signs in, and deletes the profile before or after its browser stops. */
  const discard = async (kit: Kit) => {
    const { create, draw, requests, wrong } = kit
    const profile = await add(`gone-${++discarded}`)
    const made = await create("browser", "/browsers", { profileId: profile.id })
    await signIn(kit, profile, 0, made)
    const isFirst = draw() < 0.5
    if (isFirst) await stop(kit, textOf(made, "id"))
    const removal: Request = { method: "DELETE", path: `/profiles/${profile.id}` }
    const { status } = await requests.insist(removal)
    // 404 after a delete whose response was lost
    if (status !== 204 && status !== 404) wrong.push(`DELETE of profile ${profile.id}: ${status}`)
    if (!isFirst) await stop(kit, textOf(made, "id"))
    deleted.push(profile.id)
    const again: ReadonlyArray<Request> = [
      { method: "GET", path: `/profiles/${profile.id}` },
      { method: "POST", path: "/browsers", body: { profileId: profile.id } },
      { method: "POST", path: "/runs", body: { task: "Never", browserSettings: { profileId: profile.id } } }
    ]
    for (const request of again) {
      const response = await requests.insist(request)
      if (response.status !== 404) wrong.push(`${request.path} with a deleted profile: ${response.status}`)
    }
  }

  return {
    visits,
    deleted,
    use: (kit) => {
      const chosen = kit.draw()
      if (chosen < 0.7) return browse(kit)
      return chosen < 0.85 ? run(kit) : discard(kit)
    },
    id: (at) => profiles[at]?.id ?? ""
  }
}

/** Number of visits that were signed in: all, at another node than the sign-in, and after the end of that node. */
export interface Kept {
  readonly signedIn: number
  readonly elsewhere: number
  readonly afterLoss: number
}

/** Counts the visits to which a saved sign-in came. */
export const keptSignIns = (
  visits: ReadonlyArray<Visit>,
  browsers: ReadonlyArray<Browser.Browser>,
  hits: ReadonlyArray<Hit>
): Kept => {
  const nodeOf = new Map(browsers.map(({ id, node }) => [id, node?.split(".", 1)[0] ?? ""]))
  const signIns = new Map(visits.flatMap((visit) => (visit.after === null ? [] : [[visit.after, visit]])))
  const kept = visits.flatMap(({ at_ms, before, browserId }) => {
    const signIn = signIns.get(before)
    if (signIn === undefined) return []
    const from = nodeOf.get(signIn.browserId)
    return [
      {
        isElsewhere: from !== nodeOf.get(browserId),
        isAfterLoss: hits.some((hit) => hit.name === from && hit.at_ms > signIn.at_ms && hit.at_ms < at_ms)
      }
    ]
  })
  return {
    signedIn: kept.length,
    elsewhere: kept.filter(({ isElsewhere }) => isElsewhere).length,
    afterLoss: kept.filter(({ isAfterLoss }) => isAfterLoss).length
  }
}
