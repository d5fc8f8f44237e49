import { Binary, ChromiumPool, Sandbox } from "@webagent/chromium"
import { Browser, BrowserPool, type CdpTransport } from "@webagent/engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Page from "../../src/page/Page.ts"
import { serve, type Site } from "./site.ts"

/** A folder for what browsers may read, until the scope closes. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => {
    const made = mkdtempSync(join(tmpdir(), "webagent-test-agent-"))
    chmodSync(made, 0o755)
    return made
  }),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
)

/** A connection of the pool to a Chromium of its own, until the scope closes. */
export const chromium = (
  env: Readonly<Record<string, string>> = {}
): Effect.Effect<CdpTransport, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const binary = yield* Binary.find()
    // the pages are our own, and some machines have no user namespaces for Chromium's sandbox
    const pool = ChromiumPool.layer({
      binary: { ...binary, env: { ...binary.env, ...env } },
      chromiumSandbox: false,
      warm: 0,
      root: yield* folder
    })
    const context = yield* Layer.build(Layer.provide(pool, Sandbox.layerNone))
    const browser = Browser.make({ id: "one", proxyCountryCode: null, startedAt_ms: 0 })
    const launched = yield* Effect.provideContext(
      BrowserPool.use(({ launch }) => launch(browser)),
      context
    )
    return yield* launched.connect
  })

/** A page of a real browser, and the site that it is sent to. */
export class Tested extends Context.Service<Tested, { readonly page: Page.Page; readonly site: Site }>()("Tested") {
  static readonly layer = Layer.effect(
    Tested,
    Effect.gen(function* () {
      const site = yield* serve
      const page = yield* Page.make(yield* chromium(), { downloads: yield* folder })
      return { page, site }
    })
  )
}

/** Opens a page of the site and looks at it. */
export const open = (name: string) =>
  Tested.use(({ page, site }) =>
    Effect.gen(function* () {
      yield* page.navigate(`${site.origin}/${name}`)
      return (yield* page.look()).text
    })
  )

/** What the page in front shows. */
export const shown = Tested.use(({ page }) => Effect.map(page.look(), ({ text }) => text))

/** The number of the element whose name begins so. */
export const numberOf = (text: string, name: string): number => {
  const [, number] = new RegExp(String.raw`\[(\d+) [\w ]+? "${name}`, "u").exec(text) ?? []
  if (number === undefined) throw new Error(`There is no ${JSON.stringify(name)} in:\n${text}`)
  return Number(number)
}

/** Clicks what has a name, and looks again. */
export const clicked = (text: string, name: string) =>
  Tested.use(({ page }) => Effect.andThen(page.click(numberOf(text, name)), shown))
