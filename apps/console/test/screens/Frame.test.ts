import { assert, describe, it } from "vitest"
import { checkAccessibility, looks, runId, useConsole } from "./Console.ts"
import { pathOf, row } from "./reading.ts"

describe("the frame", () => {
  const { visit } = useConsole()

  it("finds screens and actions in the palette", () =>
    visit("/", async (page) => {
      await page.keyboard.press("Control+k")
      await page.getByRole("option").first().waitFor()
      await page.keyboard.type("failed")
      await page.keyboard.press("Enter")
      await page.waitForURL(/\/runs\?status=failed$/u)
      await page.getByRole("dialog").waitFor({ state: "detached" })
    }))

  it("keeps the chosen theme", () =>
    visit("/", async (page) => {
      const canvas = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      const light = await canvas()
      await page.getByRole("button", { name: "Dark theme" }).click()
      const dark = await canvas()
      assert.notStrictEqual(dark, light)
      await page.reload()
      await page.waitForSelector("h1")
      assert.strictEqual(await canvas(), dark)
    }))

  it("moves the focus to the new screen, and its title names that", () =>
    visit("/", async (page) => {
      await page.getByRole("link", { name: "Keys" }).click()
      // on the way, it's at `main`
      await page.locator("h1:focus", { hasText: "Keys" }).waitFor()
      assert.strictEqual(await page.title(), "Keys · webagent")
    }))

  it("turns off letters as shortcuts", () =>
    visit("/", async (page) => {
      await page.keyboard.press("?")
      await page.getByLabel("Use single-letter shortcuts").uncheck()
      await page.keyboard.press("Escape")
      await page.keyboard.press("g")
      await page.keyboard.press("r")
      assert.strictEqual(pathOf(page), "/")
    }))

  it("lists the keys of the current screen", () =>
    visit("/runs", async (page) => {
      const keysOf = async (title: string) => {
        await page.keyboard.press("?")
        const keys = page.getByRole("dialog").locator("section", { has: page.getByRole("heading", { name: title }) })
        await keys.waitFor()
        const texts = await keys.locator("dt").allTextContents()
        await checkAccessibility(page, `the keys of ${title}`)
        await page.keyboard.press("Escape")
        await page.getByRole("dialog").waitFor({ state: "detached" })
        return texts
      }
      await row(page, 0).waitFor()
      assert.deepStrictEqual(await keysOf("Runs"), ["/", "j, k", "Enter", "x", "Home, End"])
      await page.keyboard.press("j")
      await page.keyboard.press("Enter")
      await page.locator("li button").first().waitFor()
      assert.include(await keysOf("Run"), "J, K")
      assert.include(await keysOf("Everywhere"), "Ctrl K")
    }))

  it("shows a notice below the screen on a phone, where it covers nothing", () =>
    visit(
      `/runs/${runId(0)}`,
      async (page) => {
        await page.getByRole("button", { name: "Copy the ID" }).click()
        const notice = page.getByRole("status").getByText("Copied")
        const box = (await notice.boundingBox()) ?? assert.fail("There is no notice")
        const main = (await page.getByRole("main").boundingBox()) ?? assert.fail("There is no screen")
        assert.isAtMost(main.y + main.height, box.y)
        assert.isAtMost(box.y + box.height, 844)
      },
      looks.phone
    ))

  it("works on a phone, whose menu shows every screen and closes when one is opened", () =>
    visit(
      "/",
      async (page) => {
        const links = page.getByRole("navigation").getByRole("link")
        assert.strictEqual(await links.count(), 0)
        await page.getByRole("button", { name: "Menu" }).click()
        await page.getByRole("link", { name: "Settings" }).waitFor()
        for (const link of await links.all()) {
          const { width, x } = (await link.boundingBox()) ?? assert.fail("A link has no place")
          assert.isAtMost(x + width, looks.phone.width)
        }
        await checkAccessibility(page, "the menu of a phone")
        await page.getByRole("link", { name: "Runs", exact: true }).click()
        await row(page, 3).waitFor()
        assert.strictEqual(await links.count(), 0)
        await row(page, 3).getByRole("link").click()
        await page.getByText("The model didn't respond, or refused.").waitFor()
      },
      looks.phone
    ))
})
