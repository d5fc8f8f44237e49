import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Server } from "../../../src/Server.ts"
import { send } from "../send.ts"
import { makeShown, until, watch } from "../shown.ts"
import { ask, layerAdmin } from "./served.ts"

const test = (title: string, body: Effect.Effect<unknown, unknown, Server>, views?: ReturnType<typeof makeShown>) =>
  it.live(title, () =>
    Effect.asVoid(body).pipe(
      Effect.provide(views === undefined ? layerAdmin() : Layer.provide(layerAdmin(), views.layer))
    )
  )

/** Creates a browser of a key. */
const create = (key: string) =>
  Effect.map(send("POST", "/api/v4/browsers", { key: `wak_${key}`, body: {} }), ({ body }) => String(body["id"]))

const idsOf = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) =>
  (body["rows"] as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)

describe("browsers in the admin API", () => {
  test(
    "are listed, read and stopped for the key, or for all keys",
    Effect.gen(function* () {
      const [shop, blog] = yield* Effect.all([create("shop"), create("blog")])
      assert.sameMembers(idsOf(yield* ask("root", "GET", "/browsers?status=active")), [shop, blog])
      assert.deepStrictEqual(idsOf(yield* ask("shop", "GET", "/browsers?key=blog")), [shop])
      assert.deepInclude((yield* ask("shop", "GET", `/browsers/${shop}`)).body, { owner: "shop", agentSessionId: null })
      for (const id of [blog, "unknown", "a%2Fb", "%ff"]) {
        for (const path of ["", "/links", "/control"]) {
          assert.strictEqual((yield* ask("shop", "GET", `/browsers/${id}${path}`)).status, 404)
        }
        assert.strictEqual((yield* ask("shop", "POST", `/browsers/${id}/control`, {})).status, 404)
        assert.strictEqual((yield* ask("shop", "DELETE", `/browsers/${id}/control`)).status, 404)
      }
      const links = yield* ask("shop", "GET", `/browsers/${shop}/links`)
      assert.match(String(links.body["cdpUrl"]), /^ws:.*token=/u)
      assert.deepStrictEqual((yield* ask("shop", "POST", "/browsers/stop", { ids: [shop, blog] })).body, {
        stopped: [shop],
        already: [],
        notFound: [blog]
      })
      assert.deepStrictEqual((yield* ask("root", "POST", "/browsers/stop", { ids: [shop, blog] })).body, {
        stopped: [blog],
        already: [shop],
        notFound: []
      })
      assert.isNull((yield* ask("shop", "GET", `/browsers/${shop}/links`)).body["cdpUrl"])
      assert.strictEqual((yield* ask("shop", "POST", `/browsers/${shop}/control`, {})).status, 409)
    })
  )

  test(
    "are controlled by one key at a time",
    Effect.gen(function* () {
      const id = yield* create("shop")
      const control = `/browsers/${id}/control`
      assert.deepStrictEqual((yield* ask("shop", "GET", control)).body, {
        browserId: id,
        driver: null,
        until: null
      })
      const taken = yield* ask("shop", "POST", control, { seconds: 600 })
      assert.deepInclude(taken.body, { driver: "shop" })
      assert.match(String(taken.body["url"]), /\/live\//u)
      const refused = yield* ask("root", "POST", control, {})
      assert.strictEqual(refused.status, 409)
      assert.match(String(refused.body["detail"]), /^shop has control until 20/u)
      assert.strictEqual((yield* ask("shop", "POST", control, {})).status, 200)
      assert.strictEqual((yield* ask("root", "DELETE", control)).status, 204)
      assert.strictEqual((yield* ask("root", "POST", control)).body["driver"], "root")
      assert.strictEqual((yield* ask("shop", "DELETE", control)).status, 409)
      for (const seconds of [0, 601, 1.5, "60"]) {
        assert.strictEqual((yield* ask("root", "POST", control, { seconds })).status, 422)
      }
    }),
    makeShown()
  )

  test(
    "can't be taken over while they have no picture, and the response says so",
    Effect.gen(function* () {
      const id = yield* create("shop")
      const refused = yield* ask("shop", "POST", `/browsers/${id}/control`, {})
      assert.strictEqual(refused.status, 409)
      assert.match(String(refused.body["detail"]), /simulated.*--browsers chromium/u)
      assert.isNull((yield* ask("shop", "GET", `/browsers/${id}`)).body["driver"])
    })
  )

  it.live(
    "are driven only by the person with control, and by viewers with a driving link while control is free",
    () => {
      const shown = makeShown()
      return Effect.gen(function* () {
        const id = yield* create("shop")
        const { controlUrl } = (yield* ask("shop", "GET", `/browsers/${id}/links`)).body
        yield* shown.show("first")
        const anyone = yield* watch(String(controlUrl))
        yield* until(() => anyone.messages.length === 2)
        const press = (socket: typeof anyone, text: string) =>
          Effect.sync(() => socket.socket.send(JSON.stringify({ _tag: "Text", text })))
        yield* press(anyone, "free")
        yield* until(() => shown.done.length === 1)
        const take = ask("root", "POST", `/browsers/${id}/control`, {})
        const refused = yield* take
        assert.match(String(refused.body["detail"]), /^shop \(control link\) has control until 20/u)
        const key = { _tag: "Key", action: "pressed", key: "Escape", code: "Escape", keyCode: 27, modifiers: 0 }
        const escape = Effect.sync(() => anyone.socket.send(JSON.stringify(key)))
        const taken = Effect.repeat(take, { until: ({ status }) => status === 200 })
        yield* escape
        const { url } = (yield* taken).body
        const driver = yield* watch(String(url))
        yield* until(() => driver.messages.length === 2)
        assert.include(String(driver.messages[0]), '"control":true')
        yield* press(anyone, "not now")
        yield* press(driver, "mine")
        yield* until(() => shown.done.length === 2)
        assert.deepStrictEqual(
          shown.done.map((input) => (input._tag === "Text" ? input.text : "")),
          ["free", "mine"]
        )
        yield* ask("root", "DELETE", `/browsers/${id}/control`)
        yield* press(driver, "over")
        yield* press(anyone, "again")
        yield* until(() => shown.done.length === 3)
        assert.deepInclude(shown.done[2], { text: "again" })
        // the link of a control that is over opens nothing, even while another one lasts
        yield* escape
        yield* taken
        const late = yield* watch(String(url))
        yield* until(() => late.ended.how !== undefined)
        assert.strictEqual(late.ended.how, "refused 404")
        assert.deepInclude((yield* ask("shop", "GET", `/browsers/${id}`)).body, {
          title: "first",
          address: "https://shop.example"
        })
      }).pipe(Effect.scoped, Effect.provide(Layer.provide(layerAdmin(), shown.layer)))
    }
  )

  it.live("are driven in the last tab of a person with several, and in the one before once it's closed", () => {
    const shown = makeShown()
    return Effect.gen(function* () {
      const id = yield* create("shop")
      yield* shown.show("first")
      const { url } = (yield* ask("root", "POST", `/browsers/${id}/control`, {})).body
      const one = yield* watch(String(url))
      const driverIn = ({ messages }: typeof one) =>
        String(messages.findLast((message) => typeof message === "string")).match(/"driver":"(\w+)"/u)?.[1]
      yield* until(() => driverIn(one) === "you")
      const two = yield* watch(String(url))
      yield* until(() => driverIn(one) === "person" && driverIn(two) === "you")
      for (const [text, tab] of Object.entries({ one, two })) tab.socket.send(JSON.stringify({ _tag: "Text", text }))
      yield* until(() => shown.done.length === 1)
      assert.deepInclude(shown.done[0], { text: "two" })
      two.socket.close()
      yield* until(() => driverIn(one) === "you")
      one.socket.send(JSON.stringify({ _tag: "Text", text: "again" }))
      yield* until(() => shown.done.length === 2)
      assert.deepInclude(shown.done[1], { text: "again" })
    }).pipe(Effect.scoped, Effect.provide(Layer.provide(layerAdmin(), shown.layer)))
  })

  it.live("are released once their driver has closed every tab, and the log names the driver", () => {
    const shown = makeShown()
    return Effect.gen(function* () {
      const id = yield* create("shop")
      yield* shown.show("first")
      const control = `/browsers/${id}/control`
      const { url } = (yield* ask("root", "POST", control, { seconds: 600 })).body
      const driverOf = Effect.map(ask("shop", "GET", `/browsers/${id}`), ({ body }) => body["driver"])
      const [one, two] = [yield* watch(String(url)), yield* watch(String(url))]
      yield* until(() => one.messages.length > 0 && two.messages.length > 0)
      one.socket.close()
      yield* Effect.sleep("3500 millis")
      assert.strictEqual(yield* driverOf, "root")
      two.socket.close()
      // a reload opens it again
      yield* Effect.sleep("200 millis")
      const again = yield* watch(String(url))
      yield* until(() => again.messages.length > 0)
      yield* Effect.sleep("3500 millis")
      assert.strictEqual(yield* driverOf, "root")
      again.socket.close()
      const free = Effect.repeat(Effect.delay(driverOf, "50 millis"), { until: (driver) => driver === null })
      yield* free
      const { controlUrl } = (yield* ask("shop", "GET", `/browsers/${id}/links`)).body
      yield* shown.show("first")
      const person = yield* watch(String(controlUrl))
      yield* until(() => person.messages.length > 0)
      person.socket.send(JSON.stringify({ _tag: "Text", text: "hello" }))
      yield* until(() => shown.done.length === 1)
      assert.strictEqual(yield* driverOf, "shop (control link)")
      person.socket.close()
      yield* free
      const { body } = yield* ask("root", "GET", `/audit?target=${id}`)
      const rows = body["rows"] as ReadonlyArray<{ readonly action: string; readonly key: string }>
      assert.deepStrictEqual(
        rows.map(({ action, key }) => `${key} ${action}`),
        [
          "shop (control link) browsers.releaseControl",
          "shop (control link) browsers.takeControl",
          "root browsers.releaseControl",
          "root browsers.takeControl"
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(Layer.provide(layerAdmin(), shown.layer)))
  })
})
