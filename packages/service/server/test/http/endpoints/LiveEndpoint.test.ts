import { assert, describe, it } from "@effect/vitest"
import { MemoryStore, type StreamingAgent } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import { makeShown, layerWith, until, watch } from "../shown.ts"
import { raw, send } from "../send.ts"
import { layerOver } from "../served.ts"

/** A new browser with its links. */
const create = Effect.map(send("POST", "/api/v4/browsers", { body: {} }), ({ body }) => ({
  id: String(body["id"]),
  liveUrl: String(body["liveUrl"]),
  controlUrl: String(body["controlUrl"])
}))

const stop = (id: string) => send("PATCH", `/api/v4/browsers/${id}`, { body: { action: "stop" } })

const page = (url: string) => send("GET", new URL(url).pathname, { key: null })

const click = {
  _tag: "Mouse",
  action: "pressed",
  x: 0.5,
  y: 0.25,
  button: "left",
  buttons: 1,
  clicks: 1,
  modifiers: 0
} as const

describe("a live view", () => {
  it.live("is an uncached page that loads nothing from other hosts", () => {
    const { layer } = makeShown()
    return Effect.gen(function* () {
      const { controlUrl, liveUrl } = yield* create
      assert.notStrictEqual(controlUrl, liveUrl)
      const { headers, status, text } = yield* page(liveUrl)
      assert.strictEqual(status, 200)
      assert.match(headers.get("content-type") ?? "", /^text\/html/u)
      assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'; script-src 'sha256-/u)
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
      assert.notMatch(text, /https?:\/\//u)
    }).pipe(Effect.provide(layerWith(layer)))
  })

  it.live("refuses a page whose own host name resolves to this machine", () =>
    Effect.gen(function* () {
      const { liveUrl } = yield* create
      const { host, pathname } = new URL(liveUrl)
      const ask = (path: string, name: string) =>
        raw(`GET ${path} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`)
      const refused = /^HTTP\/1\.1 403 [\s\S]*Host "rebound\.example" is not allowed/u
      assert.match((yield* ask(pathname, "rebound.example:80")).replaceAll("&quot;", '"'), refused)
      assert.match((yield* ask(`${pathname}/socket`, "Rebound.example")).replaceAll(String.raw`\"`, '"'), refused)
      assert.match(yield* ask(pathname, host), /^HTTP\/1\.1 200 /u)
    }).pipe(Effect.provide(layerWith(makeShown().layer)))
  )

  it.live("shows the title, the address and each picture with its time", () => {
    const { layer, show } = makeShown()
    return Effect.gen(function* () {
      const { liveUrl } = yield* create
      yield* show("first", 47)
      const { messages } = yield* watch(liveUrl)
      yield* until(() => messages.length === 2)
      const picture = messages[1]
      assert.deepStrictEqual(JSON.parse(String(messages[0])), {
        title: "first",
        address: "https://shop.example",
        control: false
      })
      assert.strictEqual((picture as Buffer).readDoubleBE(1), 47)
      assert.strictEqual((picture as Buffer).subarray(9).toString(), "first")
    }).pipe(Effect.scoped, Effect.provide(layerWith(layer)))
  })

  it.live(
    "has the number of viewers and all tabs for a viewer that asks for details, without tabs that show a secret",
    () => {
      const { conceal, layer, show } = makeShown()
      return Effect.gen(function* () {
        const { id, liveUrl } = yield* create
        const tabs = ["first", "second"].map((title) => ({ title, address: "https://shop.example" }))
        yield* show("second", 0, tabs)
        const { messages } = yield* watch(liveUrl, undefined, "?details=true")
        const details = () =>
          messages.flatMap((message) => (String(message).startsWith('{"viewers"') ? [JSON.parse(String(message))] : []))
        const last = () => JSON.stringify(details().at(-1))
        yield* until(() => last() === JSON.stringify({ viewers: 1, tabs }))
        const other = yield* watch(liveUrl)
        yield* until(() => last() === JSON.stringify({ viewers: 2, tabs }))
        assert.isFalse(other.messages.some((message) => String(message).includes("viewers")))
        other.socket.close()
        yield* until(() => last() === JSON.stringify({ viewers: 1, tabs }))
        yield* conceal(id)
        yield* show("hunter2", 1, [...tabs, { title: "hunter2", address: "https://shop.example" }])
        yield* until(() => last() === JSON.stringify({ viewers: 1, tabs: [] }))
        assert.notInclude(String(messages), "hunter2")
      }).pipe(Effect.scoped, Effect.provide(layerWith(layer)))
    }
  )

  it.live("shows only the steps of a browser that may hold a secret, except to a person who has control", () => {
    const { conceal, layer, show } = makeShown()
    return Effect.gen(function* () {
      const { controlUrl, id, liveUrl } = yield* create
      yield* show("first")
      const first = yield* watch(liveUrl)
      yield* until(() => first.messages.length === 2)
      yield* conceal(id)
      yield* show("hunter2")
      yield* until(() => first.messages.length === 3)
      const late = yield* watch(liveUrl)
      const owner = yield* watch(controlUrl)
      yield* until(() => late.messages.length === 1 && owner.messages.length === 2)
      const concealed = { title: "", address: "shop.example", control: false, concealed: true }
      for (const message of [first.messages[2], late.messages[0]]) {
        assert.deepStrictEqual(JSON.parse(String(message)), concealed)
      }
      assert.include(String(owner.messages[0]), '"title":"hunter2"')
      assert.strictEqual((owner.messages[1] as Buffer).subarray(9).toString(), "hunter2")
      yield* show("and more")
      yield* until(() => owner.messages.length === 4)
      assert.deepStrictEqual([first.messages.length, late.messages.length], [3, 1])
    }).pipe(Effect.scoped, Effect.provide(layerWith(layer)))
  })

  it.live("shows the steps of the agent in its browser as they happen, and the latest ones to a new viewer", () => {
    const next = Effect.runSync(Queue.unbounded<string>())
    /** Takes a step in its browser each time that the test says so. */
    const perform: StreamingAgent["perform"] = ({ task }, { browser, step, stepEnded }) =>
      Stream.concat(
        Stream.make({ _tag: "Started" } as const),
        Stream.fromEffectDrain(
          Effect.scoped(
            Effect.andThen(
              browser,
              Effect.forever(
                Effect.flatMap(task === "first" ? Queue.take(next) : Effect.never, (summary) =>
                  summary === "sold out"
                    ? stepEnded(summary)
                    : step({ summary, address: "https://shop.example/", picture: null })
                )
              )
            )
          )
        )
      )
    const run = Effect.fnUntraced(function* (task: string) {
      const { id, sessionId } = (yield* send("POST", "/api/v4/runs", { body: { task } })).body
      const read = send("GET", `/api/v4/runs/${String(id)}`)
      const { body } = yield* Effect.repeat(Effect.delay(read, "5 millis"), {
        until: ({ body }) => typeof body["liveUrl"] === "string"
      })
      return { liveUrl: String(body["liveUrl"]), sessionId: String(sessionId) }
    })
    const { layer } = makeShown()
    return Effect.gen(function* () {
      const { liveUrl, sessionId } = yield* run("first")
      const first = yield* watch(liveUrl)
      const other = yield* watch((yield* run("other")).liveUrl)
      yield* Queue.offer(next, 'click "Buy"')
      const buy = JSON.stringify({ number: 1, summary: 'click "Buy"', address: "https://shop.example/", picture: "" })
      yield* until(() => first.messages.length === 1)
      yield* Queue.offerAll(next, ["sold out", "done"])
      yield* until(() => first.messages.length === 3)
      const late = yield* watch(liveUrl)
      yield* until(() => late.messages.length === 3)
      for (const { messages } of [first, late]) {
        const [began, ended, done] = messages
        assert.deepStrictEqual([began, done], [buy, buy.replace('click \\"Buy\\"', "done").replace("1", "2")])
        assert.match(String(ended), /"number":1,.*"failure":"sold out","duration_ms":\d+\}$/u)
      }
      // the run ends in the middle of its second step, for who looks and who comes later
      yield* send("POST", `/api/v4/sessions/${sessionId}/queue`, { body: { text: "other", interrupt: true } })
      yield* until(() => [first, late].every(({ messages }) => messages.length === 4))
      const last = yield* watch(liveUrl)
      yield* until(() => last.messages.length === 4)
      for (const { messages } of [first, late, last]) {
        assert.match(
          String(messages[3]),
          /"number":2,.*"failure":"The run ended before this step did\.","duration_ms":\d+\}$/u
        )
      }
      assert.deepStrictEqual(other.messages, [])
    }).pipe(Effect.scoped, Effect.provide(Layer.fresh(Layer.provide(layerOver(MemoryStore.layer, { perform }), layer))))
  })

  it.live(
    "accepts input with the control token, and disconnects a viewer that sends input with the other token",
    () => {
      const { done, layer, show } = makeShown()
      return Effect.gen(function* () {
        const { controlUrl, liveUrl } = yield* create
        yield* show("first")
        const owner = yield* watch(controlUrl)
        const viewer = yield* watch(liveUrl)
        yield* until(() => owner.messages.length === 2 && viewer.messages.length === 2)
        viewer.socket.send(JSON.stringify(click))
        yield* until(() => viewer.ended.how !== undefined)
        assert.strictEqual(viewer.ended.how, "1008 This link is for viewing only")
        assert.deepStrictEqual(done, [])
        owner.socket.send(JSON.stringify(click))
        yield* until(() => done.length > 0)
        assert.deepStrictEqual(done, [click])
        owner.socket.send(JSON.stringify({ ...click, buttons: "all" }))
        yield* until(() => owner.ended.how !== undefined)
        assert.strictEqual(owner.ended.how, "1008 The message is no input")
        assert.lengthOf(done, 1)
      }).pipe(Effect.scoped, Effect.provide(layerWith(layer)))
    }
  )

  it.live("opens the address of a person with control, but refuses one that an agent may not open", () => {
    const { done, layer, show } = makeShown()
    return Effect.gen(function* () {
      const { controlUrl } = yield* create
      yield* show("first")
      const { messages, socket } = yield* watch(controlUrl)
      yield* until(() => messages.length === 2)
      const refusals = () => messages.filter((message) => String(message).startsWith('{"refused"'))
      const hostile = [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "chrome://settings",
        " view-source:http://a.example"
      ]
      for (const address of [...hostile, "shop.example/mugs"]) socket.send(JSON.stringify({ _tag: "Address", address }))
      yield* until(() => done.length > 0 && refusals().length === hostile.length)
      assert.deepStrictEqual(done, [{ _tag: "Address", address: "https://shop.example/mugs" }])
      assert.deepStrictEqual(JSON.parse(String(refusals()[0])), {
        refused: "A browser opens only http and https addresses. Enter one such as example.com."
      })
    }).pipe(Effect.scoped, Effect.provide(layerWith(layer)))
  })

  it.live("gives control to the viewer who presses first, visibly to all, until Esc or the end of its page", () => {
    const { done, layer, show } = makeShown()
    return Effect.gen(function* () {
      const { controlUrl, liveUrl } = yield* create
      yield* show("first")
      const one = yield* watch(controlUrl)
      const two = yield* watch(controlUrl)
      const viewer = yield* watch(liveUrl)
      const tabOf = ({ messages }: typeof viewer) =>
        JSON.parse(String(messages.findLast((message) => typeof message === "string"))) as object
      const all = [one, two, viewer]
      yield* until(() => all.every(({ messages }) => messages.length === 2))
      // looking around takes no control
      one.socket.send(JSON.stringify({ ...click, action: "moved" }))
      one.socket.send(JSON.stringify(click))
      yield* until(() => done.length === 1)
      yield* until(() => all.every((each) => "driver" in tabOf(each)))
      assert.deepInclude(tabOf(one), { control: true, driver: "you" })
      assert.deepInclude(tabOf(two), { control: false, driver: "person" })
      assert.deepInclude(tabOf(viewer), { control: false, driver: "person" })
      two.socket.send(JSON.stringify(click))
      // messages of a viewer are handled in order
      two.socket.send("no input")
      yield* until(() => two.ended.how !== undefined)
      const escape = { _tag: "Key", action: "pressed", key: "Escape", code: "Escape", keyCode: 27, modifiers: 0 }
      one.socket.send(JSON.stringify(escape))
      yield* until(() => !("driver" in tabOf(viewer)))
      one.socket.send(JSON.stringify({ ...click, x: 0.75 }))
      yield* until(() => "driver" in tabOf(viewer))
      assert.deepStrictEqual(done, [click, { ...click, x: 0.75 }])
      one.socket.close()
      yield* until(() => !("driver" in tabOf(viewer)))
    }).pipe(Effect.scoped, Effect.provide(layerWith(layer)))
  })

  it.live("disconnects a viewer whose message is too large before the rest of it arrives", () => {
    const { done, layer, show } = makeShown()
    return Effect.gen(function* () {
      const { controlUrl, liveUrl } = yield* create
      yield* show("first")
      for (const url of [controlUrl, liveUrl]) {
        const { ended, messages, socket } = yield* watch(url)
        yield* until(() => messages.length === 2)
        socket.send("x".repeat(64 * 1024 + 1), { fin: false })
        yield* until(() => ended.how !== undefined)
        assert.strictEqual(ended.how, "1009 ")
      }
      assert.deepStrictEqual(done, [])
    }).pipe(Effect.scoped, Effect.provide(layerWith(layer)))
  })

  it.live("says why the browser is gone, immediately and later", () => {
    const { end, gone, layer, show } = makeShown()
    return Effect.gen(function* () {
      const { controlUrl, id, liveUrl } = yield* create
      yield* show("first")
      const viewer = yield* watch(liveUrl)
      yield* until(() => viewer.messages.length === 2)
      assert.include((yield* stop(id)).body, { liveUrl: null, recordingUrl: null })
      gone.add(id)
      yield* end
      yield* until(() => viewer.ended.how !== undefined)
      assert.strictEqual(viewer.ended.how, "4001 The browser was stopped.")
      for (const url of [liveUrl, controlUrl]) {
        const { status, text } = yield* page(url)
        assert.strictEqual(status, 410)
        assert.include(text, "The browser was stopped.")
        const late = yield* watch(url)
        yield* until(() => late.ended.how !== undefined)
        assert.strictEqual(late.ended.how, "refused 410")
      }
    }).pipe(Effect.scoped, Effect.provide(layerWith(layer)))
  })

  it.live("asks the page to reconnect if the browser is still running", () => {
    const { end, layer, show } = makeShown()
    return Effect.gen(function* () {
      const { liveUrl } = yield* create
      yield* show("first")
      const viewer = yield* watch(liveUrl)
      yield* until(() => viewer.messages.length === 2)
      yield* end
      yield* until(() => viewer.ended.how !== undefined)
      assert.strictEqual(viewer.ended.how, "1012 ")
    }).pipe(Effect.scoped, Effect.provide(layerWith(layer)))
  })

  it.live("is refused without its token, for another browser, and for a page of another origin", () => {
    const { layer } = makeShown()
    return Effect.gen(function* () {
      const { id, liveUrl } = yield* create
      const other = yield* create
      const token = liveUrl.split("/").at(-1) ?? ""
      const { address } = { address: new URL(liveUrl).origin }
      for (const path of [
        `/live/${id}/nonsense`,
        `/live/${other.id}/${token}`,
        `/live/${crypto.randomUUID()}/${token}`
      ]) {
        const { status, text } = yield* send("GET", path, { key: null })
        assert.strictEqual(status, 404)
        assert.include(text, "This link shows nothing.")
        const refused = yield* watch(`${address}${path}`)
        yield* until(() => refused.ended.how !== undefined)
        assert.strictEqual(refused.ended.how, "refused 404")
      }
      const foreign = yield* watch(liveUrl, "https://evil.example")
      yield* until(() => foreign.ended.how !== undefined)
      assert.strictEqual(foreign.ended.how, "refused 403")
      assert.strictEqual((yield* send("GET", `${new URL(liveUrl).pathname}/socket`)).status, 426)
      assert.match(
        yield* raw(`POST ${new URL(liveUrl).pathname} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
        / 405 /u
      )
    }).pipe(Effect.scoped, Effect.provide(layerWith(layer)))
  })

  it.live("allows 50 viewers at the same time, and another one when one leaves", () => {
    const { layer, show } = makeShown()
    return Effect.gen(function* () {
      const { liveUrl } = yield* create
      yield* show("first")
      const viewers = yield* Effect.forEach(Array.from({ length: 50 }), () => watch(liveUrl, null))
      yield* until(() => viewers.every(({ messages }) => messages.length === 2))
      const late = yield* watch(liveUrl)
      yield* until(() => late.ended.how !== undefined)
      assert.strictEqual(late.ended.how, "refused 429")
      viewers[0]?.socket.close()
      const again: Effect.Effect<void> = Effect.scoped(
        Effect.flatMap(watch(liveUrl), ({ ended, messages }) =>
          Effect.andThen(
            until(() => messages.length === 2 || ended.how !== undefined),
            Effect.suspend(() => (messages.length === 2 ? Effect.void : again))
          )
        )
      )
      yield* again
    }).pipe(Effect.scoped, Effect.provide(layerWith(layer)))
  })

  it.live("is missing on a server whose browsers have no pictures", () =>
    Effect.gen(function* () {
      const { body } = yield* send("POST", "/api/v4/browsers", { body: {} })
      assert.strictEqual(body["liveUrl"], null)
      assert.notProperty(body, "controlUrl")
    }).pipe(Effect.provide(layerWith(Layer.empty)))
  )
})
