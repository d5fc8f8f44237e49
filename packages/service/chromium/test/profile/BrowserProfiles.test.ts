import { assert, it } from "@effect/vitest"
import { overTransport } from "@webagent/cdp"
import {
  Browser,
  BrowserPool,
  MemoryProfiles,
  ProfileNotFound,
  Profiles,
  ProfileUnreadable,
  StoreUnavailable,
  TimeOrderedIds
} from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Binary, ChromiumPool, Sandbox } from "../../src/index.ts"
import * as BrowserProfiles from "../../src/profile/BrowserProfiles.ts"
import { pack, unpack } from "../../src/profile/ProfileFiles.ts"
import { attach, chromiumSandbox, runtime } from "../support/chromium.ts"

/** A site that signs in with a cookie of the session. */
const site = Effect.acquireRelease(
  Effect.callback<{ readonly address: string; readonly close: () => void }>((resume) => {
    const server = createServer(({ headers, url }, response) => {
      if (url === "/sign-in") response.setHeader("set-cookie", "session=s3cret; HttpOnly; SameSite=Lax")
      if (url === "/worker.js") {
        return void response.setHeader("content-type", "text/javascript").end("onfetch = () => undefined")
      }
      response.setHeader("content-type", "text/html").end(/session=s3cret/u.test(headers.cookie ?? "") ? "in" : "out")
    }).listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(Effect.succeed({ address: `http://127.0.0.1:${port}`, close: () => server.closeAllConnections() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

/** Fills every storage that a profile keeps. */
const fill = `(async () => {
  localStorage.setItem("token", "local")
  await new Promise((done, fail) => {
    const opening = indexedDB.open("db", 1)
    opening.onupgradeneeded = () => opening.result.createObjectStore("keys")
    opening.onerror = fail
    opening.onsuccess = async () => {
      const pair = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, false, ["sign"])
      const saving = opening.result.transaction("keys", "readwrite")
      saving.objectStore("keys").put(pair, "key")
      saving.oncomplete = done
    }
  })
  await (await caches.open("c")).put("/cached", new Response("cached"))
  await navigator.serviceWorker.register("/worker.js")
  await navigator.serviceWorker.ready
  const root = await navigator.storage.getDirectory()
  const writable = await (await root.getFileHandle("f", { create: true })).createWritable()
  await writable.write("file")
  await writable.close()
})()`

const readAll = `(async () => {
  const key = await new Promise((done) => {
    const opening = indexedDB.open("db", 1)
    opening.onsuccess = () => {
      const reading = opening.result.transaction("keys").objectStore("keys").get("key")
      reading.onsuccess = () => done(reading.result)
    }
    opening.onupgradeneeded = () => opening.result.createObjectStore("keys")
  })
  const signed = key && (await crypto.subtle.sign("HMAC", key, new Uint8Array(1))).byteLength
  const cached = await (await caches.match("/cached"))?.text()
  const worker = (await navigator.serviceWorker.getRegistrations()).length
  const root = await navigator.storage.getDirectory()
  const file = await root.getFileHandle("f").then((handle) => handle.getFile()).then((each) => each.text(), () => null)
  return JSON.stringify([document.body.textContent, localStorage.getItem("token"), signed, cached, worker, file])
})()`

const everything = ["in", "local", 32, "cached", 1, "file"]

it.live("a browser starts signed in with the state that another one saved, and readers save nothing", () =>
  Effect.gen(function* () {
    const { address } = yield* site
    const binary = yield* Binary.find()
    const pool = ChromiumPool.layer({
      binary,
      chromiumSandbox: yield* chromiumSandbox,
      warm: 0,
      root: yield* runtime
    })
    yield* Effect.gen(function* () {
      const profiles = (yield* Profiles) ?? assert.fail()
      const { id: profileId } = yield* profiles.create({ name: null, userId: null })
      const launch = Effect.fnUntraced(function* (id: string, mode: "write" | "read") {
        const profile = { id: profileId, mode }
        if (mode === "write") yield* profiles.acquire(profileId, id, (yield* profiles.find(profileId)).writer)
        const record = Browser.make({ id, profile, proxyCountryCode: null, startedAt_ms: 0 })
        const browser = yield* BrowserPool.use((each) => each.launch(record))
        const session = yield* attach(yield* Effect.flatMap(browser.connect, overTransport))
        yield* session.send("Page.enable")
        const open = Effect.fnUntraced(function* (path: string) {
          const loaded = yield* session.send("Page.navigate", { url: address + path })
          assert.isUndefined(loaded.errorText)
          yield* Effect.sleep("200 millis")
        })
        const run = (expression: string) =>
          Effect.map(
            session.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true }),
            ({ exceptionDetails, result }) => {
              assert.isUndefined(exceptionDetails)
              return result.value
            }
          )
        return { browser, open, run }
      })

      const first = yield* launch("one", "write")
      yield* first.open("/sign-in")
      yield* first.run(fill)
      yield* first.browser.stop
      const { cookieDomains, savedBy } = yield* profiles.find(profileId)
      assert.deepStrictEqual([cookieDomains, savedBy], [["127.0.0.1"], binary.version])
      const saved = (yield* profiles.load(profileId))?.bytes ?? assert.fail()
      const { cookies, files } = yield* Effect.promise(() => unpack(saved))
      assert.deepInclude(cookies[0], { name: "session", value: "s3cret", httpOnly: true })
      assert.isTrue(files.every(([path]) => !/History|Login|Preferences|Cookies/u.test(path)))

      const second = yield* launch("two", "read")
      yield* second.open("/")
      assert.deepStrictEqual(JSON.parse(String(yield* second.run(readAll))), everything)
      yield* second.run(`localStorage.setItem("token", "other"); document.cookie = "session=gone; path=/"`)
      assert.isUndefined(second.browser.save)
      yield* second.browser.stop
      assert.strictEqual((yield* profiles.load(profileId))?.bytes, saved)

      const third = yield* launch("three", "write")
      yield* third.open("/")
      assert.deepStrictEqual(JSON.parse(String(yield* third.run(readAll))), everything)
      yield* third.run(`document.cookie = "more=1; max-age=60"`)
      yield* third.browser.save ?? assert.fail()
      const now = yield* Effect.promise(async () =>
        unpack((await Effect.runPromise(profiles.load(profileId)))?.bytes ?? saved)
      )
      assert.sameMembers(
        now.cookies.map(({ name }) => name),
        ["session", "more"]
      )
      // the browser goes on after it was paused
      assert.deepStrictEqual(JSON.parse(String(yield* third.run(readAll))), everything)
      yield* third.browser.stop

      // what a newer browser saved isn't opened, and what can't be read isn't lost
      yield* profiles.acquire(profileId, "later", "three")
      const newer = { bytes: saved, domains: [], savedBy: "Chromium 9999.0.0.0" }
      yield* profiles.save(profileId, "later", newer)
      const refusal = Effect.map(Effect.flip(launch("four", "read")), String)
      assert.match(yield* refusal, /saved by Chromium 9999\.0\.0\.0, and this server has .*\. Update Chromium/u)
      yield* profiles.save(profileId, "later", { ...newer, savedBy: "", bytes: saved.subarray(0, -9) })
      assert.match(yield* refusal, /state is damaged/u)
      // a cookie that Chromium refuses doesn't take the others along
      const bad = yield* Effect.promise(() =>
        pack({ cookies: [{ name: "bad", value: "", url: "x:" }, ...cookies], files: [] })
      )
      yield* profiles.save(profileId, "later", { ...newer, savedBy: "", bytes: bad })
      const last = yield* launch("five", "read")
      yield* last.open("/")
      assert.strictEqual(yield* last.run("document.body.textContent"), "in")
    }).pipe(
      Effect.scoped,
      Effect.provide(
        Layer.provide(pool, Sandbox.layerNone).pipe(
          Layer.provideMerge(Layer.provide(MemoryProfiles.layer, TimeOrderedIds.layer))
        )
      )
    )
  }).pipe(Effect.scoped)
)

it.effect("a profile that can't be read or is gone is a launch failure with the reason", () =>
  Effect.gen(function* () {
    const browser = Browser.make({
      id: "one",
      profile: { id: "p", mode: "read" },
      proxyCountryCode: null,
      startedAt_ms: 0
    })
    const messageOf = (error: ProfileNotFound | ProfileUnreadable | StoreUnavailable) =>
      BrowserProfiles.make("Chromium 1.2").pipe(
        Effect.flatMap(({ load }) => Effect.flip(load(browser))),
        Effect.map(({ message }) => message),
        Effect.provideService(Profiles, { load: () => Effect.fail(error) } as never)
      )
    // the load is repeated while the store is away
    const away = yield* Effect.forkChild(messageOf(new StoreUnavailable({ applied: "no", cause: "away" })))
    yield* TestClock.adjust("7 seconds")
    assert.deepStrictEqual(
      [
        yield* messageOf(new ProfileUnreadable({ message: "It needs the profile key ab" })),
        yield* messageOf(new ProfileNotFound({ id: "p" })),
        yield* Fiber.join(away)
      ],
      [
        "It needs the profile key ab",
        "The profile was deleted. Create the browser again, without it or with another one",
        "The profile could not be read because the store is away. Try again"
      ]
    )
  })
)
