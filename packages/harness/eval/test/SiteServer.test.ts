import { assert, describe, it } from "@effect/vitest"
import { drawing } from "@webagent/statistics/Drawing"
import * as Effect from "effect/Effect"
import * as SiteServer from "../src/SiteServer.ts"
import { sites } from "../src/Sites.ts"

const get = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, { redirect: "manual", ...init })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

const form = (fields: Readonly<Record<string, string>>): RequestInit => ({
  method: "POST",
  body: new URLSearchParams(fields)
})

const addressIn = (instruction: string) => /Open (http:\S+?)[.,]?\s/u.exec(instruction)?.[1] ?? ""

const taskOf = (site: string, at = 0) => {
  const task = sites.find(({ name }) => name === site)?.tasks[at]
  if (task === undefined) throw new Error(`${site} has no such task`)
  return task
}

describe("SiteServer", () => {
  it.live("gives each episode its own state, and deletes it when its scope closes", () =>
    Effect.gen(function* () {
      const server = yield* SiteServer.serve()
      const open = () => server.open(taskOf("shop", 1).begin(drawing(1)))
      const [one, other] = [yield* open(), yield* open()]
      const [first, second] = [addressIn(one.instruction), addressIn(other.instruction)]
      assert.isFalse(one.wasOpened())
      yield* get(`${first}add`, form({ id: "1", quantity: "2" }))
      assert.deepStrictEqual((one.actual() as { cart: ReadonlyArray<unknown> }).cart.length, 1)
      assert.deepStrictEqual(other.actual(), { cart: [], orders: [] })
      assert.deepStrictEqual([one.wasOpened(), other.wasOpened()], [true, false])
      assert.include((yield* get(second)).text, `<base href="${new URL(second).pathname}">`)
      const closed = yield* Effect.scoped(Effect.map(open(), ({ instruction }) => addressIn(instruction)))
      assert.strictEqual((yield* get(closed)).status, 404)
    })
  )

  it.live("serves an episode under an address that another one's agent can't guess", () =>
    Effect.gen(function* () {
      const server = yield* SiteServer.serve()
      const names = yield* Effect.forEach([1, 1, 2], (seed) =>
        Effect.map(server.open(taskOf("mail").begin(drawing(seed))), ({ instruction }) =>
          new URL(addressIn(instruction)).pathname.slice(1, -1)
        )
      )
      assert.strictEqual(new Set(names).size, 3)
      for (const name of names) assert.match(name, /^[\da-f]{32}$/u)
      for (const path of ["", "1/", "2/", "3/"]) {
        assert.strictEqual((yield* get(`${server.url}/${path}`)).status, 404, path)
      }
    })
  )

  it.live("keeps cookies below an episode's path, and requires them behind a sign-in", () =>
    Effect.gen(function* () {
      const server = yield* SiteServer.serve()
      const { actual, expected, instruction } = yield* server.open(taskOf("sign-in").begin(drawing(3)))
      const base = addressIn(instruction)
      const [, user = "", password = ""] = /as "(.+?)" with the password "(.+?)"/u.exec(instruction) ?? []
      assert.include((yield* get(`${base}settings`, form({ phone: "1" }))).text, "Sign in first.")
      assert.include((yield* get(`${base}sign-in`, form({ user, password: "no" }))).text, "is wrong")
      const { headers, status } = yield* get(`${base}sign-in`, form({ user, password }))
      assert.deepStrictEqual([status, headers.get("location")], [303, `${new URL(base).pathname}account`])
      const cookie = headers.get("set-cookie") ?? ""
      assert.include(cookie, `Path=${new URL(base).pathname}`)
      assert.notDeepEqual(actual(), expected)
      const [, phone = ""] = /account to (\S+)\. /u.exec(instruction) ?? []
      yield* get(`${base}settings`, {
        ...form({ phone, newsletter: "yes" }),
        headers: { cookie: cookie.split(";")[0] ?? "" }
      })
      assert.deepStrictEqual(actual(), expected)
    })
  )

  it.live("gives agents another address, and names a port in use", () =>
    Effect.gen(function* () {
      const server = yield* SiteServer.serve({ url: "https://tunnel.example/sites/" })
      const { instruction } = yield* server.open(taskOf("mail").begin(drawing(1)))
      const [, name = ""] = /https:\/\/tunnel\.example\/sites\/(\w+)\//u.exec(instruction) ?? []
      const { text } = yield* get(`http://127.0.0.1:${server.port}/${name}/`)
      assert.include(text, `<base href="/sites/${name}/">`)
      const error = yield* Effect.flip(SiteServer.serve({ port: server.port }))
      assert.deepStrictEqual([error.port, error.code], [server.port, "EADDRINUSE"])
    })
  )

  it("knows which services can reach 127.0.0.1", () => {
    assert.isTrue(SiteServer.isOnThisMachine("http://localhost:8080"))
    assert.isFalse(SiteServer.isOnThisMachine("https://agent.example/api/v4"))
  })
})

describe("the tasks of sites", () => {
  const tasks = sites.flatMap((site) => site.tasks.map((task) => [`${site.name}: ${task.name}`, task] as const))

  it.each(tasks)("%s isn't done before it begins, is the same for a seed, and differs between seeds", (_, task) => {
    const [one, again] = [task.begin(drawing(5)), task.begin(drawing(5))]
    assert.notDeepEqual(one.actual(), one.expected)
    assert.deepStrictEqual(
      [again.instruction("http://x/"), again.expected],
      [one.instruction("http://x/"), one.expected]
    )
    const others = [1, 2, 3].map((seed) => task.begin(drawing(seed)).instruction("http://x/"))
    assert.isAbove(new Set(others).size, 1)
    const request = { query: new URLSearchParams(), form: new URLSearchParams(), cookies: new Map(), body: "" }
    const respond = (path: string) => one.respond({ ...request, method: "GET", path })
    assert.isString(respond("/"))
    assert.isUndefined(respond("/nowhere"))
  })
})
