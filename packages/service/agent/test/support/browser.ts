import { assert } from "@effect/vitest"
import { folder, type Launched, launch } from "@webagent/test-chromium/Launched"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Page from "../../src/page/Page.ts"
import { serve, type Site } from "./site.ts"

/** A page of a real browser, the site that it is sent to, and its DevTools for other clients. */
export class Tested extends Context.Service<
  Tested,
  { readonly page: Page.Page; readonly site: Site; readonly connect: Launched["connect"] }
>()("Tested") {
  /** The page waits by this clock; by that of the machine unless given. */
  static readonly layer = (clock?: Clock.Clock) =>
    Layer.effect(
      Tested,
      Effect.gen(function* () {
        const site = yield* serve
        const { connect } = yield* launch()
        const made = Page.make(yield* connect, { downloads: yield* folder })
        const page = yield* clock === undefined ? made : Effect.provideService(made, Clock.Clock, clock)
        return { page, site, connect }
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

/** Looks until the page shows all of this: what the browser does by itself may take a while on a busy machine. */
export const seen = (...wanted: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    for (let tries = 0; ; tries++) {
      const text = yield* shown
      const missing = wanted.find((one) => !text.includes(one))
      if (missing === undefined) return text
      if (tries === 400) return assert.fail(`There is no ${JSON.stringify(missing)} in:\n${text}`)
      yield* Effect.sleep("25 millis")
    }
  })

/** The number of the element whose name begins so. */
export const numberOf = (text: string, name: string): number => {
  const [, number] = new RegExp(String.raw`\[(\d+) [\w ]+? "${name}`, "u").exec(text) ?? []
  return Number(number ?? assert.fail(`There is no ${JSON.stringify(name)} in:\n${text}`))
}

/** Clicks what has a name, and looks again. */
export const clicked = (text: string, name: string) =>
  Tested.use(({ page }) => Effect.andThen(page.click(numberOf(text, name)), shown))
