import { folder, launch } from "@webagent/test-chromium/Launched"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Page from "../../src/page/Page.ts"
import { serve, type Site } from "./site.ts"

/** A page of a real browser, and the site that it is sent to. */
export class Tested extends Context.Service<Tested, { readonly page: Page.Page; readonly site: Site }>()("Tested") {
  static readonly layer = Layer.effect(
    Tested,
    Effect.gen(function* () {
      const site = yield* serve
      const page = yield* Page.make(yield* (yield* launch()).connect, { downloads: yield* folder })
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
