import { openPinned } from "@webagent/test-chromium"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import type { Page } from "playwright-core"
import { assert, beforeAll, describe, it } from "vitest"
import { isWhole, looks, useConsole } from "./Console.ts"
import { decode, differences, draw, pack, type Pixels, unpack } from "./Pixels.ts"
import { screens } from "./Screens.ts"
import { useSimulation } from "./SimulatedConsole.ts"

/** If set, pictures that differ are replaced. Look at the differences first. */
const isUpdate = process.env["WEBAGENT_PICTURES"] === "update"

/** The parts of the console's debugger by their addresses, for a service that has no requests yet. */
const simulated = { behavior: "", faults: "/faults", journal: "/journal", checks: "/checks", "open resources": "/open" }

const pathOf = (folder: string, look: string, name: string) =>
  fileURLToPath(new URL(`../../${folder}/${look}/${name.replaceAll(" ", "-")}`, import.meta.url))

/** The time at which every page is looked at. */
const time = new Date("2026-11-28T09:05:00Z")

/** The bundled font is the only one that every machine has; a video begins to play at its own time. */
const style = ":root { --mono: var(--font) !important } video { visibility: hidden }"

/** Number of different pixels that a picture may have. */
const most = 20

/** Looks at a page that shows something else, because what arrives by an event may need a moment. */
const again = { times: 10, pause_ms: 200 }

const write = (file: string, bytes: Uint8Array) => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, bytes)
}

// other versions of Chromium draw other pixels
const pinned = isWhole ? await openPinned() : undefined

describe.skipIf(pinned === undefined)(
  "pictures of the screens (npm run test:screens, with the Chromium of tools/chromium on Linux x64)",
  () => {
    const { visit } = useConsole({ browser: pinned })
    /** A page that decodes and encodes. */
    let table: Page
    beforeAll(async () => {
      table = (await pinned?.newPage()) ?? assert.fail("There is no browser")
    })

    /** Compares a page with its picture, or writes the picture. */
    const check = async (page: Page, screen: string, look: string) => {
      await page.addStyleTag({ content: style })
      await page.evaluate(async () => {
        await document.fonts.ready
        // each server has a port of its own
        const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
        while (texts.nextNode() !== null) {
          const { currentNode: text } = texts
          text.textContent = text.textContent?.replaceAll(location.host, "127.0.0.1:4400") ?? ""
        }
      })
      const file = `${pathOf("test/screens/pictures", look, screen)}.br`
      const before = existsSync(file) ? unpack(readFileSync(file)) : undefined
      const take = async (other: Pixels | undefined) => {
        const now = await decode(table, await page.screenshot({ animations: "disabled", caret: "hide" }))
        return { now, different: other === undefined ? [] : differences(now, other) }
      }
      let { different, now } = await take(before)
      const isUpdated = isUpdate && (before === undefined || different.length > most)
      for (let left = again.times; left > 0 && different.length > most; left--) {
        await page.waitForTimeout(again.pause_ms)
        // a new picture is whole once the page stays the same
        ;({ different, now } = await take(isUpdate ? now : before))
      }
      if (isUpdated) return write(file, pack(now))
      const isSame = before !== undefined && different.length <= most
      const output = (part: string) => `${pathOf(".webagent/pictures", look, screen)}-${part}.png`
      for (const part of ["before", "now", "difference"]) rmSync(output(part), { force: true })
      if (isSame) return undefined
      write(output("now"), await draw(table, now))
      if (before !== undefined) {
        write(output("before"), await draw(table, before))
        write(output("difference"), await draw(table, now, different))
      }
      return assert.fail(
        `${before === undefined ? "There is no picture yet" : `${different.length} pixels differ`}. Look at ` +
          `${output("now")}, then run WEBAGENT_PICTURES=update npm run test:screens if it's right.`
      )
    }

    const { visit: visitSimulation } = useSimulation({ browser: pinned })
    for (const [look, options] of Object.entries(looks)) {
      for (const [screen, path] of Object.entries(simulated)) {
        it(`${screen} of the simulated service is unchanged in ${look}`, () =>
          visitSimulation(
            `/simulation${path}`,
            async (page) => {
              await page.getByRole("navigation", { name: "Parts of the simulated service" }).waitFor()
              await page.getByText("Live", { exact: true }).waitFor()
              // service time is real, and drawn again every second
              await page.addStyleTag({
                content: 'time { font-size: 0 } time::after { content: "9:05:00 AM"; font-size: 12px }'
              })
              await check(page, `simulated ${screen}`, look)
            },
            { ...options, time }
          ))
      }
      for (const [screen, { path, prepare }] of Object.entries(screens)) {
        it(`${screen} is unchanged in ${look}`, () =>
          visit(
            path,
            async (page, server) => {
              await prepare?.(page, server)
              await check(page, screen, look)
            },
            { ...options, time }
          ))
      }
    }
  }
)
