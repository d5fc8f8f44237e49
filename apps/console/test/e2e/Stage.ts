import { afterAll, assert, beforeAll, it } from "vitest"
import { buildOnce, sharedChromium } from "../screens/Shared.ts"
import type { Journey, Stage } from "./Journey.ts"
import { tabTo } from "./Keyboard.ts"

/** A server to test, and the secret of a key with the scope admin. */
interface Served {
  readonly address: string
  readonly key: string
  readonly otherNode?: string
  readonly stop: () => Promise<void>
}

/** Starts a server for the tests of a file, with a page that signed in by keyboard. */
export const useStage = (serve: () => Promise<Served>): (() => Stage) => {
  let stage: Stage | undefined
  let stop = (): Promise<void> => Promise.resolve()
  beforeAll(async () => {
    buildOnce("console")
    const { address, key, otherNode, stop: end } = await serve()
    stop = end
    const browser = await sharedChromium()
    const context = await browser.newContext({
      permissions: ["clipboard-read", "clipboard-write"],
      reducedMotion: "reduce"
    })
    const page = await context.newPage()
    const problems: Array<string> = []
    page.setDefaultTimeout(60_000)
    page.on("pageerror", ({ message }) => problems.push(message))
    page.on("console", (message) => {
      if (message.type() === "error" && !/status of (?:401|404)/u.test(message.text())) problems.push(message.text())
    })
    stage = { address, browser, key, otherNode, page, problems }
    await page.goto(`${address}/console`)
    await tabTo(page, "API key")
    await page.keyboard.type(key)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor()
  })
  afterAll(async () => {
    await stage?.page.context().close()
    await stop()
    assert.deepStrictEqual(stage?.problems, [])
  })
  return () => stage ?? assert.fail("The server hasn't started")
}

/** A test for each journey. They follow one another on one page, which a failed one leaves for the next as a new page. */
export const travel = (stage: () => Stage, journeys: ReadonlyArray<Journey>): void => {
  for (const { name, run } of journeys)
    it(`${name}`, async () => {
      const { address, page, problems } = stage()
      try {
        await run(stage())
      } catch (error) {
        await page.goto(`${address}/console/`)
        await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor()
        throw error
      }
      assert.deepStrictEqual(problems, [])
    })
}
