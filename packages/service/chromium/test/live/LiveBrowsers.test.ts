import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { layer, look, ports, shown, until } from "../support/live.ts"

const page = (body: string) => `document.body.innerHTML = ${JSON.stringify(body)}; document.title = "Shop"`

const counter = page(`<h1 id="count" style="font:80px monospace">0</h1>`)

const key = (character: string) =>
  (["pressed", "released"] as const).map((action) => ({
    _tag: "Key" as const,
    action,
    key: character,
    code: `Key${character.toUpperCase()}`,
    keyCode: character.toUpperCase().codePointAt(0) ?? 0,
    modifiers: 0
  }))

describe("a browser with a viewer", () => {
  it.live("shows its tab and the last change after each of 12 bursts", () =>
    Effect.gen(function* () {
      const { run, screenshot } = yield* shown()
      yield* run(counter)
      const { now } = yield* look()
      yield* until(() => now().tab?.title === "Shop")
      assert.deepStrictEqual(now().tab, { title: "Shop", address: "about:blank" })
      for (let burst = 0; burst < 12; burst++) {
        const changes = `for (let at = 0; at < 5; at++) setTimeout(() => count.textContent = "${burst} " + at, at * 20)`
        yield* run(changes)
        yield* until(Effect.map(run("count.textContent"), (text) => text === `${burst} 4`).pipe(Effect.orDie))
        const right = yield* screenshot
        yield* until(() => right.equals(now().picture?.jpeg ?? Buffer.alloc(0)))
      }
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("follows a new tab, and returns when it is closed", () =>
    Effect.gen(function* () {
      const { client, run } = yield* shown()
      yield* run(page("first"))
      const { now } = yield* look()
      yield* until(() => now().tab?.title === "Shop" && now().picture !== null)
      const before = now().picture
      const { targetId } = yield* client.send("Target.createTarget", {
        url: "data:text/html,<title>Other</title>second"
      })
      yield* until(() => now().tab?.title === "Other" && now().picture !== before)
      assert.deepStrictEqual(
        now().tabs?.map(({ title }) => title),
        ["Shop", "Other"]
      )
      const other = now().picture
      yield* client.send("Target.closeTarget", { targetId })
      yield* until(() => now().tab?.title === "Shop" && now().picture !== other)
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("receives a person's clicks, typing and scrolling", () =>
    Effect.gen(function* () {
      const { counted, run } = yield* shown()
      yield* run(page(`<input id="typed" style="position:fixed;inset:0 50% 50% 0"><p style="height:9000px">`))
      const { input, now } = yield* look()
      yield* until(() => now().picture !== null)
      const at = { x: 0.25, y: 0.25, buttons: 1, clicks: 1, modifiers: 0 }
      yield* input({ _tag: "Mouse", action: "pressed", button: "left", ...at })
      yield* input({ _tag: "Mouse", action: "released", button: "left", ...at })
      yield* Effect.forEach([...key("h"), ...key("i")], input)
      yield* input({ _tag: "Text", text: " Ärger 中" })
      yield* until(Effect.orDie(Effect.map(run("typed.value"), (value) => value === "hi Ärger 中")))
      assert.strictEqual(counted.used, 7)
      const selectAll = { _tag: "Key", key: "a", code: "KeyA", keyCode: 65, modifiers: 2 } as const
      yield* input({ ...selectAll, action: "pressed" })
      yield* input({ ...selectAll, action: "released" })
      yield* Effect.forEach(key("x"), input)
      yield* until(Effect.orDie(Effect.map(run("typed.value"), (value) => value === "x")))
      yield* input({ _tag: "Wheel", x: 0.75, y: 0.75, deltaX: 0, deltaY: 400, modifiers: 0 })
      yield* until(Effect.orDie(Effect.map(run("scrollY"), (value) => Number(value) > 0)))
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("opens an address that a person enters, except local ones", () =>
    Effect.gen(function* () {
      const { run } = yield* shown()
      yield* run(page("first"))
      const { input, now } = yield* look()
      // at once: the view isn't attached to the tab yet
      yield* input({ _tag: "Address", address: "file:///etc/passwd" })
      yield* input({ _tag: "Address", address: "about:blank" })
      yield* until(() => now().tab?.title === "about:blank" || now().tab?.title === "")
      assert.strictEqual(now().tab?.address, "about:blank")
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("handles its dialogs as without a viewer", () =>
    Effect.gen(function* () {
      const { run } = yield* shown()
      const { now } = yield* look()
      yield* until(() => now().picture !== null)
      assert.strictEqual(yield* run(`confirm("Really?")`), false)
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("is cast once for many viewers, from the first to the last", () =>
    Effect.gen(function* () {
      const { counted, run } = yield* shown()
      yield* run(counter)
      assert.strictEqual(counted.connections, 0)
      const all = Effect.forEach(Array.from({ length: 20 }), look, { concurrency: "unbounded" })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const viewers = yield* all
          yield* until(() => viewers.every(({ now }) => now().picture !== null))
          yield* run(`count.textContent = "changed"`)
          yield* until(() => viewers.every(({ seen }) => seen.length > 1))
          assert.strictEqual(counted.connections, 1)
        })
      )
      yield* Effect.scoped(Effect.flatMap(look(), ({ now }) => until(() => now().picture !== null)))
      assert.strictEqual(counted.connections, 2)
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("sends a slow viewer the newest picture, without queueing", () =>
    Effect.gen(function* () {
      const { id, run, screenshot } = yield* shown()
      yield* run(counter)
      const { views } = yield* ports
      const quick = yield* look()
      const slow: Array<Uint8Array> = []
      const { views: all } = yield* views.open(id)
      let isReading = true
      yield* Effect.forkScoped(
        Stream.runForEach(all, ({ picture }) => {
          // a page that is still is captured again
          if (picture !== null && !Buffer.from(picture.jpeg).equals(slow.at(-1) ?? Buffer.alloc(0)))
            slow.push(picture.jpeg)
          return until(() => isReading)
        })
      )
      yield* until(() => slow.length > 0)
      isReading = false
      const before = slow.length
      yield* Effect.forEach([1, 2, 3, 4, 5, 6], (change) =>
        Effect.gen(function* () {
          const { length } = quick.seen
          yield* run(`count.textContent = ${change}`)
          yield* until(() => quick.seen.length > length)
        })
      )
      const right = yield* screenshot
      yield* until(() => right.equals(quick.seen.at(-1) ?? Buffer.alloc(0)))
      isReading = true
      yield* until(() => right.equals(slow.at(-1) ?? Buffer.alloc(0)))
      assert.isAtMost(slow.length - before, 3)
    }).pipe(Effect.scoped, Effect.provide(layer()))
  )

  it.live("ends its views when it stops", () =>
    Effect.gen(function* () {
      const { views } = yield* ports
      const ended = yield* Effect.scoped(
        Effect.gen(function* () {
          const { id } = yield* shown()
          assert.isTrue(views.has(id))
          const { views: all } = yield* Effect.scoped(views.open(id))
          return { id, all }
        })
      )
      assert.isFalse(views.has(ended.id))
      yield* Stream.runDrain(ended.all)
      assert.strictEqual((yield* Effect.flip(Effect.scoped(views.open(ended.id))))._tag, "BrowserStopped")
    }).pipe(Effect.provide(layer()))
  )
})
