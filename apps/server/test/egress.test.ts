import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { chromium } from "playwright-core"
import { folder, ready, send, start } from "./program.ts"

const key = "wak_egress"

/** A web server on this machine that counts what reaches it. */
const site = Effect.acquireRelease(
  Effect.promise(async () => {
    const hits: Array<string> = []
    const server = createServer((request, response) => {
      hits.push(request.url ?? "")
      response.setHeader("content-type", "text/html").end("<title>reached</title>")
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    return { server, hits, port: typeof address === "object" ? address?.port : undefined }
  }),
  ({ server }) => Effect.sync(() => server.close())
)

it.live("browsers reach the allowed private addresses, and have proxies in the named countries", () =>
  Effect.gen(function* () {
    const [intranet, secret] = yield* Effect.all([site, site])
    const path = yield* folder
    // browsers of a server that is root run as another user
    chmodSync(path, 0o711)
    const program = yield* start(
      [
        ["serve", "--browsers", "chromium", "--min-isolation", "none", "--port", "0", "--api-key", key],
        ["--data", join(path, "server.db"), "--allow-private", `127.0.0.1:${intranet.port}`]
      ].flat(),
      // nothing listens there: what goes through it fails
      { TMPDIR: path, WEBAGENT_SERVER_COUNTRY_PROXIES: "de=http://user:password@127.0.0.1:1" }
    )
    const { v4 } = yield* ready(program)
    const create = (proxyCountryCode?: string) =>
      send(v4, key, "POST", "/browsers", proxyCountryCode === undefined ? {} : { proxyCountryCode })

    const refused = yield* create("fr")
    assert.strictEqual(refused.status, 422)
    assert.include(JSON.stringify(refused.body), `This server has no proxy in country \\"fr\\"`)

    const visit = (cdpUrl: unknown, port: number | undefined) =>
      Effect.promise(async () => {
        const browser = await chromium.connectOverCDP(String(cdpUrl), { timeout: 0 })
        try {
          const page = browser.contexts()[0]?.pages()[0]
          await page?.goto(`http://127.0.0.1:${port}/`, { timeout: 0 }).catch(() => undefined)
          return await page?.title()
        } finally {
          await browser.close()
        }
      })
    const direct = yield* create()
    assert.strictEqual(yield* visit(direct.body["cdpUrl"], intranet.port), "reached")
    assert.notStrictEqual(yield* visit(direct.body["cdpUrl"], secret.port), "reached")
    const german = yield* create("DE")
    assert.notStrictEqual(yield* visit(german.body["cdpUrl"], intranet.port), "reached")
    assert.deepStrictEqual([intranet.hits.filter((url) => url === "/"), secret.hits], [["/"], []])
  })
)
