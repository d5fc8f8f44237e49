import {
  type Browser,
  LaunchFailed,
  Owner,
  type ProfileNotFound,
  Profiles,
  ProfileUnusable,
  type ProfileUnreadable,
  type StoreUnavailable
} from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { join } from "node:path"
import type { DevTools } from "../cdp/DevTools.ts"
import { type BrowserProcess, StartFailed, type StartOptions } from "../process/BrowserProcess.ts"
import * as Cookies from "./Cookies.ts"
import { domainsOf } from "./domains.ts"
import { BadProfile, pack, type ProfileContent, readFiles, unpack, writeFiles } from "./ProfileFiles.ts"

/** A browser that runs with a profile. */
interface ProfiledBrowser {
  readonly process: BrowserProcess
  /** Its own folder. */
  readonly folder: string
}

/** Starts browsers with profiles and saves these. */
export interface BrowserProfiles {
  /** Loads the saved state of a browser's profile; undefined for a browser without one, or without a saved state. */
  readonly load: (browser: Browser.Browser) => Effect.Effect<ProfileContent | undefined, LaunchFailed>
  /**
   * Closes a browser that writes its profile, and saves the profile. It never fails: if the profile can't be saved, the
   * log says why, and the state before stays.
   */
  readonly closeAndSave: (browser: Browser.Browser, running: ProfiledBrowser) => Effect.Effect<void>
  /** Saves the profile of a browser that runs on. Storage of the last seconds may be missing: Chromium writes it later. */
  readonly saveNow: (browser: Browser.Browser, running: ProfiledBrowser) => Effect.Effect<void, ProfileUnusable>
}

/** Time that a browser has to close before it is killed. */
const closeWithin = "5 seconds"

/** Repeats a load or a save while the store is away: for about 6 seconds. */
const whileAway = {
  schedule: Schedule.exponential("200 millis"),
  times: 5,
  while: ({ _tag }: { readonly _tag: string }) => _tag === "StoreUnavailable"
}

const majorOf = (version: string) => Number(/(\d+)\.\d/u.exec(version)?.[1] ?? 0)

const attempt = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (error) => (error instanceof BadProfile ? error : new BadProfile({ message: String(error) }))
  })

const failed = (message: string) => new LaunchFailed({ reason: "failed", message })

const launchFailed = (error: BadProfile | ProfileNotFound | ProfileUnreadable | StoreUnavailable): LaunchFailed => {
  switch (error._tag) {
    case "ProfileNotFound":
      return failed("The profile was deleted. Create the browser again, without it or with another one")
    case "StoreUnavailable":
      return failed("The profile could not be read because the store is away. Try again")
    default:
      return failed(error.message)
  }
}

/** The reason why a profile was not saved, without the machine's paths. */
const reasonOf = (error: { readonly _tag: string; readonly message: string }) => {
  switch (error._tag) {
    case "BadProfile":
    case "NoRoom":
      return error.message
    case "ProfileNotFound":
      return "it was deleted"
    case "NotWriter":
      return "another browser saves it"
    default:
      return "try again"
  }
}

/** Writes the files of a profile into the folder of a browser that is about to start; undefined without files. */
export const preparing = ({ files }: ProfileContent): StartOptions["prepare"] => {
  if (files.length === 0) return undefined
  return (profile, user) =>
    Effect.mapError(
      attempt(() => writeFiles(profile, files, user)),
      ({ message }) => new StartFailed({ message: `Cannot write a profile: ${message}` })
    )
}

/** Gives a browser that has started the cookies of its profile. */
export const giveCookies = (devTools: DevTools, { cookies }: ProfileContent) =>
  Effect.flatMap(Cookies.setCookies(devTools, cookies), (bad) =>
    bad === 0 ? Effect.void : Effect.logWarning(`Chromium refused ${bad} of ${cookies.length} cookies of a profile`)
  )

/** Pauses the processes of a browser meanwhile, so that its files are all of one moment. */
const whilePaused = <A, E>(pid: number, effect: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  const signal = (name: "SIGSTOP" | "SIGCONT") => Effect.ignore(Effect.try(() => process.kill(-pid, name)))
  return Effect.acquireUseRelease(
    signal("SIGSTOP"),
    () => effect,
    () => signal("SIGCONT")
  )
}

/** Makes the profiles of browsers of one version, such as `Chromium 153.0.8010.0`. */
export const make = Effect.fnUntraced(function* (version: string) {
  const profiles = yield* Profiles

  /** Saves a profile from the cookies and the files of its browser. */
  const save = (
    { id, owner, profile }: Browser.Browser,
    folder: string,
    cookies: ProfileContent["cookies"],
    around: <A, E>(reading: Effect.Effect<A, E>) => Effect.Effect<A, E>
  ) =>
    Effect.gen(function* () {
      if (profiles === null || profile === null) return
      const content = { cookies, files: yield* around(attempt(() => readFiles(join(folder, "profile")))) }
      const bytes = yield* attempt(() => pack(content))
      yield* profiles
        .save(profile.id, id, { bytes, domains: domainsOf(content), savedBy: version })
        .pipe(Effect.retry(whileAway), Effect.provideService(Owner, owner))
    })

  /** Logs why a profile was not saved. */
  const logged = <E extends { readonly _tag: string; readonly message: string }>(
    { id, profile }: Browser.Browser,
    saving: Effect.Effect<void, E>
  ) =>
    Effect.catchCause(saving, (cause) =>
      Effect.annotateLogs(Effect.logWarning("Cannot save a profile. Its last saved state stays", cause), {
        browser: id,
        profile: profile?.id
      })
    )

  const made: BrowserProfiles = {
    load: ({ owner, profile }) =>
      profile === null || profiles === null
        ? Effect.succeed(undefined)
        : Effect.gen(function* () {
            const state = yield* Effect.provideService(Effect.retry(profiles.load(profile.id), whileAway), Owner, owner)
            if (state === null) return undefined
            if (majorOf(state.savedBy) > majorOf(version)) {
              const message = `The profile was saved by ${state.savedBy}, and this server has ${version}. Update Chromium`
              return yield* new BadProfile({ message })
            }
            return yield* attempt(() => unpack(state.bytes))
          }).pipe(Effect.mapError(launchFailed)),
    closeAndSave: (browser, { folder, process: { devTools, exited } }) =>
      logged(
        browser,
        Effect.gen(function* () {
          const cookies = yield* Cookies.readCookies(devTools)
          yield* Effect.timeoutOption(Effect.andThen(Cookies.close(devTools), exited), closeWithin)
          yield* save(browser, folder, cookies, (reading) => reading)
        })
      ),
    saveNow: (browser, { folder, process: { devTools, pid } }) =>
      Effect.flatMap(Cookies.readCookies(devTools), (cookies) =>
        save(browser, folder, cookies, (reading) => whilePaused(pid, reading))
      ).pipe(
        Effect.tapError((error) => Effect.logWarning("Cannot save a profile. Its last saved state stays", error)),
        Effect.mapError((error) => new ProfileUnusable({ message: `The profile was not saved: ${reasonOf(error)}` }))
      )
  }
  return made
})
