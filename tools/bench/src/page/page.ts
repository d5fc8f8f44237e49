import { Page } from "@webagent/agent"
import { launch } from "@webagent/test-chromium/Launched"
import * as Effect from "effect/Effect"
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { chromium, type Page as PlaywrightPage } from "playwright-core"
import { grouped, type Heading, headingLine, inFolder, type Options, paragraphs, table } from "../measure/Report.ts"
import { timed, type Times, timesOf, timesText } from "../measure/Times.ts"
import { withBrowser } from "../measure/WithBrowser.ts"
import { pages } from "./Pages.ts"

/** Measurements of one page. */
interface Row {
  readonly name: string
  readonly elements: number
  readonly ours_ms: Times
  readonly ours_tokens: number
  readonly playwright_ms: Times
  readonly playwright_tokens: number
}

/** The result of the bench `page`. */
interface PageReport extends Heading {
  readonly rounds: number
  readonly looks: ReadonlyArray<Row>
  /** Tokens of the agent's test pages, one for each pattern that agents fail on. */
  readonly patterns: { readonly count: number; readonly ours_tokens: number; readonly playwright_tokens: number }
  readonly click: { readonly ours_ms: Times; readonly playwright_ms: Times }
}

/** About four characters are a token of English text and of marks like ours. */
const tokensOf = (text: string) => Math.round(text.length / 4)

/** Both in turns, so that a busy moment of the machine hits both. */
const inTurns = async (rounds: number, ours: () => Promise<unknown>, theirs: () => Promise<unknown>) => {
  const times = { ours: new Array<number>(), theirs: new Array<number>() }
  await ours()
  await theirs()
  for (let round = 0; round < rounds; round++) {
    times.ours.push(await timed(ours))
    times.theirs.push(await timed(theirs))
  }
  return { ours_ms: timesOf(times.ours), playwright_ms: timesOf(times.theirs) }
}

const patternsFolder = new URL("../../../../packages/service/agent/test/pages/", import.meta.url)
const patterns = readdirSync(patternsFolder).filter((name) => name.endsWith(".html"))

/** A page of the agent's tests. It reports actions to their server, and here to none. */
const patternOf = (name: string) =>
  patterns.includes(name)
    ? `<script>var saw=()=>{},variant=""</script>${readFileSync(new URL(name, patternsFolder), "utf8")}`
    : undefined

const serve = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    const server = createServer((request, response) => {
      const name = request.url?.slice(1) ?? ""
      const body = patternOf(name) ?? pages[Number(name)]?.body ?? "<button>Press</button>"
      response.writeHead(200, { "content-type": "text/html" })
      response.end(`<!doctype html><meta charset=utf-8><title>Page</title><body>${body}`)
    })
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

const playwright = (address: string) =>
  Effect.acquireRelease(
    Effect.promise(() => chromium.connectOverCDP(address.replace(/^ws:/u, "http:").replace(/\/devtools.*/u, ""))),
    (browser) => Effect.promise(() => browser.close())
  )

const lookAt = async (page: Page.Page, theirs: PlaywrightPage, origin: string, index: number, rounds: number) => {
  await Effect.runPromise(page.navigate(`${origin}/${index}`))
  // Playwright hears of the new document later than we do
  await theirs.waitForURL(`${origin}/${index}`)
  const look = () => Effect.runPromise(page.look())
  const snapshot = () => theirs.ariaSnapshot({ mode: "ai" })
  return {
    name: pages[index]?.name ?? "",
    elements: await theirs.evaluate("document.querySelectorAll('*').length"),
    ours_tokens: tokensOf((await look()).text),
    playwright_tokens: tokensOf(await snapshot()),
    ...(await inTurns(rounds, look, snapshot))
  } as Row
}

const lookAtPatterns = async (page: Page.Page, theirs: PlaywrightPage, origin: string) => {
  const tokens = { ours: 0, theirs: 0 }
  for (const name of patterns) {
    await Effect.runPromise(page.navigate(`${origin}/${name}`))
    await theirs.waitForURL(`${origin}/${name}`)
    tokens.ours += tokensOf((await Effect.runPromise(page.look())).text)
    tokens.theirs += tokensOf(await theirs.ariaSnapshot({ mode: "ai" }))
  }
  return { count: patterns.length, ours_tokens: tokens.ours, playwright_tokens: tokens.theirs }
}

const clicks = async (page: Page.Page, theirs: PlaywrightPage, origin: string, rounds: number) => {
  await Effect.runPromise(page.navigate(`${origin}/none`))
  const { text } = await Effect.runPromise(page.look())
  const number = Number(/\[(\d+) button/u.exec(text)?.[1])
  const button = theirs.getByRole("button")
  return inTurns(
    rounds,
    () => Effect.runPromise(page.click(number)),
    () => button.click()
  )
}

/** Measures how long the agent's look and click take, and what a look costs, beside Playwright. */
export const page = (options: Options): Promise<PageReport> =>
  inFolder(() =>
    withBrowser(
      Effect.gen(function* () {
        const rounds = options.rounds ?? (options.quick ? 7 : 40)
        const { address, connect } = yield* launch()
        const server = yield* serve
        const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        const ours = yield* Page.make(yield* connect)
        const browser = yield* playwright(address)
        const [theirs] = browser.contexts()[0]?.pages() ?? []
        if (theirs === undefined) return yield* Effect.die(new Error("Playwright sees no page."))
        return yield* Effect.promise(async () => {
          const looks: Array<Row> = []
          for (const index of pages.keys()) {
            options.log(`looking at: ${pages[index]?.name}`)
            looks.push(await lookAt(ours, theirs, origin, index, rounds))
          }
          options.log(`looking at ${patterns.length} pages of tests`)
          const all = await lookAtPatterns(ours, theirs, origin)
          return { rounds, looks, patterns: all, click: await clicks(ours, theirs, origin, rounds) }
        })
      })
    )
  )

/** The tables of a report. */
export const markdown = (report: PageReport): string => {
  const { click, looks, patterns: all, rounds } = report
  return paragraphs(
    headingLine(report, `${rounds} rounds, ours and playwright-core's snapshot for models in turns; ms are p50 / p95`),
    table(
      ["a look at", "elements", "ours, ms", "playwright, ms", "ours, tokens", "playwright, tokens"],
      looks.map(({ elements, name, ours_ms, ours_tokens, playwright_ms, playwright_tokens }) => [
        name,
        grouped(elements),
        timesText(ours_ms),
        timesText(playwright_ms),
        grouped(ours_tokens),
        grouped(playwright_tokens)
      ])
    ),
    `The ${all.count} pages of the agent's tests are ${grouped(all.ours_tokens)} tokens, and ${grouped(all.playwright_tokens)} with Playwright.`,
    `A click on a button takes ${timesText(click.ours_ms)} ms, including the wait for its effects. Playwright's click takes ${timesText(click.playwright_ms)} ms without such a wait. Four characters count as one token. Our view has the visible part of the page and half a screen around it.`
  )
}
