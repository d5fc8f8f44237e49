import type { Page } from "playwright-core"
import { assert, describe, it } from "vitest"
import { queryOf } from "../../src/harness/state/address.ts"
import { useHarness } from "../harness/Page.ts"
import { lastRun, nameOf } from "../harness/world/Facts.ts"
import { hostile } from "../server/World.ts"
import { isWhole, looks, runId, useConsole } from "./Console.ts"

const paths = [
  "/",
  "/runs",
  "/runs?search=%3Cimg%20src%3Dx%20onerror%3D%22globalThis.pwned%3D1%22%3E",
  `/runs?tag=${encodeURIComponent(hostile[0])}`,
  // the run has a hostile task, tag and step
  `/runs/${runId(3)}`,
  `/runs/${runId(20)}`,
  // its address is a script
  `/browsers/${runId(900_000)}`,
  "/wall",
  "/keys",
  "/events",
  "/events/audit",
  "/spend?by=run",
  "/settings",
  "/%3Cscript%3EglobalThis.pwned=1%3C/script%3E",
  "/runs/%22%3E%3Cscript%3EglobalThis.pwned=1%3C%2Fscript%3E"
]

/** Fails if a text of a stranger became an element, a script or a link to another kind of address. */
const checkOnlyText = async (page: Page) => {
  const state = await page.evaluate(() => ({
    pwned: (globalThis as { pwned?: number }).pwned,
    scripts: [...document.querySelectorAll("script")].filter(({ src }) => !src.startsWith(location.origin)).length,
    links: [...document.querySelectorAll("a")].map(({ href, rel, target }) => ({ href, rel, target })),
    images: [...document.images].map(({ src }) => src),
    handlers: document.querySelectorAll("[onerror],[onload],[onclick]").length,
    frames: document.querySelectorAll("iframe,object,embed").length
  }))
  assert.isUndefined(state.pwned)
  assert.deepStrictEqual([state.scripts, state.handlers, state.frames], [0, 0, 0])
  const origin = new URL(page.url()).origin
  for (const { href, rel, target } of state.links) {
    assert.match(href, /^https?:/u)
    if (!href.startsWith(origin))
      assert.deepStrictEqual({ rel, target }, { rel: "noopener noreferrer", target: "_blank" })
  }
  for (const src of state.images) assert.isTrue(src.startsWith(origin), src)
}

describe("untrusted texts", () => {
  const { visit } = useConsole()
  for (const path of isWhole
    ? paths
    : [`/runs/${runId(3)}`, "/runs", `/browsers/${runId(900_000)}`, "/%3Cscript%3EglobalThis.pwned=1%3C/script%3E"]) {
    it(`are shown as plain text at ${path}`, () =>
      visit(
        path,
        async (page, { world }) => {
          const run = world.runs.get(runId(1))
          if (run !== undefined) {
            world.put({
              ...run,
              task: hostile[1],
              title: hostile[0],
              owner: hostile[5],
              error: hostile[3],
              tags: [...hostile]
            })
          }
          await page.waitForTimeout(700)
          await checkOnlyText(page)
        },
        looks.light
      ))
  }
})

describe("untrusted texts on the harness's screens", () => {
  const { visit } = useHarness()
  // its name is markup, and so are messages and steps of others
  const scenario = queryOf({ ...nameOf(7) })
  for (const [path, ready] of [
    ["/", "[role=grid] [role=rowheader] a"],
    ["/suites", "li input"],
    [`/runs/${lastRun}`, "table"],
    [`/trial/${lastRun}${scenario}`, "svg rect"],
    [`/scenario${scenario}`, "figure"],
    ["/compare/a00000?before=a00001", "table"],
    ["/load/load-1?test=%3Cimg%20src%3Dx%20onerror%3D%22globalThis.pwned%3D1%22%3E", "h1"]
  ] as const) {
    it(`are shown as plain text at ${path}`, () =>
      visit(path, async (page) => {
        await page.waitForSelector(ready)
        await checkOnlyText(page)
      }))
  }
})
