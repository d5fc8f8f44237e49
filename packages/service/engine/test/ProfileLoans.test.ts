import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as Browsers from "../src/Browsers.ts"
import * as Browser from "../src/domain/Browser.ts"
import * as MemoryProfiles from "../src/MemoryProfiles.ts"
import * as MemoryStore from "../src/MemoryStore.ts"
import { BrowserPool, LaunchFailed } from "../src/ports/BrowserPool.ts"
import { Owner } from "../src/ports/Owner.ts"
import { Profiles, type ProfilesService } from "../src/ports/Profiles.ts"
import { Store } from "../src/ports/Store.ts"
import * as ports from "./ports.ts"

const state = { bytes: Buffer.from("cookies"), domains: ["a.example"], savedBy: "Chromium 1" }

/** Browsers that save their profile when they stop, don't start in France, and run for an hour in Italy. */
const pool = Layer.effect(
  BrowserPool,
  Effect.map(Profiles, (profiles) => ({
    usesProfiles: true,
    launch: ({ id, profile, proxyCountryCode }: Browser.Browser) =>
      proxyCountryCode === "fr"
        ? Effect.fail(new LaunchFailed({ reason: "failed", message: "none there" }))
        : Effect.succeed({
            ...ports.browser,
            ...(proxyCountryCode === "it" ? { ended: Effect.as(Effect.sleep("1 hour"), "expired" as const) } : {}),
            ...(profile === null || profiles === null
              ? {}
              : {
                  stop: Effect.ignore(profiles.save(profile.id, id, state)),
                  save: Effect.ignore(profiles.save(profile.id, id, state))
                })
          })
  }))
)

const layer = Layer.mergeAll(MemoryStore.layer, pool).pipe(
  Layer.provideMerge(Layer.provideMerge(MemoryProfiles.layer, ports.ids))
)

const unrecorded = () => ({})

const test = (
  title: string,
  body: (
    browsers: Browsers.Browsers,
    profiles: ProfilesService,
    profileId: string
  ) => Effect.Effect<unknown, unknown, Store>
) =>
  it.effect(title, () =>
    Effect.gen(function* () {
      const profiles = (yield* Profiles) ?? assert.fail()
      const browsers = yield* Browsers.make(() => Effect.succeed(true))
      const { id } = yield* profiles.create({ name: null, userId: null })
      yield* body(browsers, profiles, id)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

describe("ProfileLoans", () => {
  test(
    "lets the first browser write, and others read until it has stopped",
    Effect.fnUntraced(function* (browsers, profiles, profileId) {
      const create = Effect.map(
        browsers.create({ proxyCountryCode: null, profileId }, unrecorded),
        (made) => made.browser
      )
      const writer = yield* create
      yield* TestClock.adjust("1 second")
      const reader = yield* create
      assert.strictEqual((yield* profiles.find(profileId)).lastUsedAt_ms, 1000)
      assert.deepStrictEqual(
        [writer.profile, reader.profile],
        [
          { id: profileId, mode: "write" },
          { id: profileId, mode: "read" }
        ]
      )
      assert.deepStrictEqual((yield* browsers.find(writer.id)).profile, writer.profile)
      yield* browsers.stop(reader.id)
      assert.isNull(yield* profiles.load(profileId))
      assert.strictEqual((yield* profiles.find(profileId)).writer, writer.id)
      yield* browsers.stop(writer.id)
      assert.deepStrictEqual(yield* profiles.load(profileId), state)
      assert.isNull((yield* profiles.find(profileId)).writer)
      assert.strictEqual((yield* create).profile?.mode, "write")
    })
  )

  test(
    "lets a browser that doesn't start write nothing",
    Effect.fnUntraced(function* (browsers, profiles, profileId) {
      const failure = yield* Effect.flip(browsers.create({ proxyCountryCode: "fr", profileId }, unrecorded))
      assert.strictEqual(failure._tag, "LaunchFailed")
      assert.isNull((yield* profiles.find(profileId)).writer)
    })
  )

  test(
    "lets another browser write as soon as the writer has stopped by itself",
    Effect.fnUntraced(function* (browsers, profiles, profileId) {
      const { browser } = yield* browsers.create({ proxyCountryCode: "it", profileId }, unrecorded)
      assert.strictEqual((yield* profiles.find(profileId)).writer, browser.id)
      yield* TestClock.adjust("1 hour")
      assert.deepInclude(yield* browsers.find(browser.id), { status: "stopped", stopReason: "expired" })
      assert.isNull((yield* profiles.find(profileId)).writer)
    })
  )

  test(
    "stops a session's unused browser for another one, after saving the profile",
    Effect.fnUntraced(function* (browsers, profiles, profileId) {
      let first = ""
      yield* Effect.scoped(
        browsers.ofSession({ id: "s", owner: null, profileId, recording: false }, Effect.succeed(null), (id) =>
          Effect.sync(() => void (first = id))
        )
      )
      const { browser } = yield* browsers.create({ proxyCountryCode: null, profileId }, unrecorded)
      assert.strictEqual(browser.profile?.mode, "write")
      assert.deepInclude(yield* browsers.find(first), { status: "stopped", stopReason: "idle" })
      assert.deepStrictEqual(yield* profiles.load(profileId), state)
    })
  )

  test(
    "saves a session browser's profile after each turn, and on request only if the browser writes",
    Effect.fnUntraced(function* (browsers, profiles, profileId) {
      let first = ""
      yield* Effect.scoped(
        browsers.ofSession({ id: "s", owner: null, profileId, recording: false }, Effect.succeed(null), (id) =>
          Effect.sync(() => void (first = id))
        )
      )
      yield* Effect.yieldNow
      assert.deepStrictEqual(yield* profiles.load(profileId), state)
      assert.strictEqual((yield* browsers.save(first)).status, "active")
      const { browser } = yield* browsers.create({ proxyCountryCode: null }, unrecorded)
      assert.strictEqual((yield* Effect.flip(browsers.save(browser.id)))._tag, "ProfileUnusable")
      assert.strictEqual((yield* Effect.flip(browsers.save("unknown")))._tag, "BrowserNotFound")
    })
  )

  test(
    "doesn't stop a browser that a session is using",
    Effect.fnUntraced(function* (browsers, _, profileId) {
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* browsers.ofSession(
            { id: "s", owner: null, profileId, recording: false },
            Effect.succeed(null),
            () => Effect.void
          )
          const { browser } = yield* browsers.create({ proxyCountryCode: null, profileId }, unrecorded)
          assert.strictEqual(browser.profile?.mode, "read")
        })
      )
    })
  )

  test(
    "replaces a lost writer immediately, and one that may still save after a minute",
    Effect.fnUntraced(function* (browsers, profiles, profileId) {
      const store = yield* Store
      const modeOf = Effect.map(
        browsers.create({ proxyCountryCode: null, profileId }, unrecorded),
        ({ browser }) => browser.profile?.mode
      )
      const gone = Effect.fnUntraced(function* (stopReason: Browser.StopReason | null) {
        const { writer } = yield* profiles.find(profileId)
        const id = `gone-${stopReason}`
        yield* profiles.acquire(profileId, id, writer)
        if (stopReason === null) return
        const browser = Browser.make({ id, proxyCountryCode: null, startedAt_ms: 0 })
        yield* store.commit({ browser, events: [] })
        yield* store.commit({ browser: Result.getOrThrow(Browser.stop(browser, stopReason, 0)), events: [] })
      })
      yield* gone("node_lost")
      assert.strictEqual(yield* modeOf, "write")
      yield* gone("asked")
      assert.strictEqual(yield* modeOf, "read")
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual(yield* modeOf, "write")
      // its record may not be stored yet
      yield* gone(null)
      assert.strictEqual(yield* modeOf, "read")
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual(yield* modeOf, "write")
    })
  )

  test(
    "doesn't let readers keep a writer that was never stored",
    Effect.fnUntraced(function* (browsers, profiles, profileId) {
      yield* profiles.acquire(profileId, "gone", null)
      const modeOf = Effect.map(
        browsers.create({ proxyCountryCode: null, profileId }, unrecorded),
        ({ browser }) => browser.profile?.mode
      )
      yield* TestClock.adjust("40 seconds")
      assert.strictEqual(yield* modeOf, "read")
      yield* TestClock.adjust("40 seconds")
      assert.strictEqual(yield* modeOf, "write")
    })
  )

  test(
    "refuses an unknown profile and another owner's profile",
    Effect.fnUntraced(function* (browsers, profiles) {
      const { id } = yield* Effect.provideService(profiles.create({ name: null, userId: null }), Owner, "ann")
      const refusal = (profile: string) =>
        browsers.create({ proxyCountryCode: null, profileId: profile }, unrecorded).pipe(
          Effect.flip,
          Effect.map(({ _tag }) => _tag),
          Effect.provideService(Owner, "bob")
        )
      assert.deepStrictEqual([yield* refusal(id), yield* refusal("unknown")], ["ProfileNotFound", "ProfileNotFound"])
      assert.strictEqual((yield* profiles.find(id)).writer, null)
    })
  )
})

it.effect("browsers that can't use profiles refuse them with a reason", () =>
  Effect.gen(function* () {
    const refusal = (unusable?: string) =>
      Effect.gen(function* () {
        const profiles = (yield* Profiles) ?? assert.fail()
        const { id } = yield* profiles.create({ name: null, userId: null })
        const browsers = yield* Browsers.make(() => Effect.succeed(true)).pipe(
          Effect.provideService(Profiles, unusable === undefined ? null : { ...profiles, unusable })
        )
        return (yield* Effect.flip(browsers.create({ proxyCountryCode: null, profileId: id }, unrecorded))).message
      }).pipe(Effect.scoped, Effect.provide(layer))
    assert.strictEqual(yield* refusal(), "Browsers of this server don't use profiles: leave profileId out")
    assert.strictEqual(yield* refusal("No key"), "No key")
  })
)
