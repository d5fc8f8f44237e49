import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { isWhole } from "../screens/Console.ts"
import { goTo, start } from "./Keyboard.ts"
import * as Program from "./Program.ts"
import { useStage } from "./Stage.ts"

describe.runIf(isWhole)("the console of a server that is killed and restarted", () => {
  let server: Program.Program
  let data = ""
  const stage = useStage(async () => {
    const { path, remove } = Program.folder()
    data = join(path, "server.db")
    const key = await Program.createKey(data, "me")
    server = await Program.serve(data)
    return {
      address: server.address,
      key,
      stop: async () => {
        server.process.kill("SIGKILL")
        remove()
      }
    }
  })

  it("reconnects by itself, stays signed in, and shows changes from that time", async () => {
    const { address, page, problems } = stage()
    await start(page, "Survive a kill [simulate duration=3s output=alive]")
    await page.locator("[data-status=running]").first().waitFor()
    server.process.kill("SIGKILL")
    await page.getByText("Offline", { exact: true }).waitFor()
    server = await Program.serve(data, [], { port: Number(new URL(address).port) })
    await page.getByText("Live", { exact: true }).waitFor({ timeout: 60_000 })
    await page.getByText(/^Reconnected/u).waitFor()
    await page.locator("[data-status=completed],[data-status=failed]").first().waitFor({ timeout: 60_000 })
    await goTo(page, "r", "Runs")
    await page.getByRole("grid").getByText("Survive a kill").waitFor()
    assert.strictEqual(await page.getByLabel("API key").count(), 0)
    // requests and WebSockets fail while no server listens
    problems.length = 0
  })

  it("works in ten tabs of one browser, and each gets its events", async () => {
    const { address, page } = stage()
    const tabs = await Promise.all(
      Array.from({ length: 9 }, async () => {
        const tab = await page.context().newPage()
        await tab.goto(`${address}/console/runs`)
        await tab.getByText("Live", { exact: true }).waitFor()
        return tab
      })
    )
    await start(page, "Seen in every tab [simulate duration=200ms output=seen]")
    for (const tab of tabs) await tab.getByRole("button", { name: "Show 1 new" }).click()
    for (const tab of tabs) await tab.getByRole("grid").getByText("Seen in every tab").waitFor()
    assert.lengthOf(page.context().pages(), 10)
    await Promise.all(tabs.map((tab) => tab.close()))
  })
})
