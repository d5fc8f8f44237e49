import { ApiKeys, MemoryStore, Store } from "@webagent/engine"
import { requestsTo } from "@webagent/test-fixtures/Requests"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { brotliCompressSync } from "node:zlib"
import { type ConsoleAccess, ConsoleSettings } from "../../src/console/Settings.ts"
import * as ApiKeyAuth from "../../src/http/policy/ApiKeyAuth.ts"
import { type ListenOptions, Server } from "../../src/Server.ts"
import { layerOfTest } from "../http/admin/keys.ts"
import { layerOver } from "../http/served.ts"

/** The content of the console's script. */
export const script = "console.log(1)\n".repeat(100)

/** A folder with a built console, until the scope closes. */
const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const made = mkdtempSync(join(tmpdir(), "webagent-test-console-"))
    mkdirSync(join(made, "assets"))
    writeFileSync(join(made, "index.html"), "<!doctype html><title>console</title>")
    writeFileSync(join(made, "assets", "index-abc.js"), script)
    writeFileSync(join(made, "assets", "index-abc.js.br"), brotliCompressSync(script))
    // only types that a page needs are served
    writeFileSync(join(made, "secret.env"), "KEY=1")
    return made
  }),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

interface ConsoleChoices {
  readonly access?: ConsoleAccess
  readonly listen?: ListenOptions
  readonly views?: Layer.Layer<never>
  /** The folder of the files; a built console by default. */
  readonly files?: string
}

/** A server with a console, and the keys `wak_root` and `wak_shop` among others. */
export const layerConsole = ({ access = "key", files, listen = {}, views = Layer.empty }: ConsoleChoices = {}) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const store = Layer.succeed(Store, yield* Store)
      const keys = Layer.succeed(ApiKeys, yield* ApiKeys)
      const settings = { access, folder: files ?? (yield* folder) }
      return Layer.provide(
        layerOver(store, { listen, auth: Layer.provide(ApiKeyAuth.layerManaged(), keys) }),
        Layer.mergeAll(store, keys, views, Layer.succeed(ConsoleSettings, settings))
      ).pipe(Layer.merge(keys))
    })
  ).pipe(Layer.provide(Layer.merge(MemoryStore.layer, layerOfTest)), Layer.fresh)

export const { raw, send } = requestsTo(Server)

/** Signs in with a key and returns the cookie that a browser would send. */
export const signIn = Effect.fnUntraced(function* (key: string) {
  const { headers, status } = yield* send("POST", "/console/api/session", { key: null, body: { key } })
  const cookie = headers.get("set-cookie") ?? ""
  return { status, cookie, header: { cookie: cookie.split(";")[0] ?? "" } }
})

/** Asks for something with a session's cookie. */
export const ask = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: unknown) =>
  send(method, `/console/api${path}`, { key: null, headers, ...(body === undefined ? {} : { body }) })
