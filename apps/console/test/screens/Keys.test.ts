import { assert, describe, it } from "vitest"
import { useConsole } from "./Console.ts"

describe("keys", () => {
  const { visit } = useConsole()

  it("get the typed name as soon as the form opens, which explains valid names", () =>
    visit("/keys", async (page) => {
      await page.getByRole("button", { name: "Create a key" }).click()
      const name = page.getByRole("dialog").getByRole("textbox", { name: "Name" })
      await page.waitForFunction(() => document.activeElement?.closest("[role=dialog]") !== null)
      await page.keyboard.type("my shop")
      assert.strictEqual(await name.inputValue(), "my shop")
      assert.match((await name.getAttribute("title")) ?? "", /^Letters, digits/u)
    }))

  it("are created with limits, and their secret is shown once", () =>
    visit("/keys", async (page, { world }) => {
      await page.getByRole("button", { name: "Create a key" }).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Name").fill("blog")
      await dialog.getByLabel("Concurrent runs").fill("many")
      await dialog.getByRole("button", { name: "Create the key" }).click()
      await dialog.getByText("Enter a whole number above 0").waitFor()
      await dialog.getByLabel("Concurrent runs").fill("3")
      await dialog.getByRole("button", { name: "Create the key" }).click()
      await dialog.getByText("wak_newsecret0123456789").waitFor()
      // a hasty key must not lose it
      await page.keyboard.press("Escape")
      assert.isTrue(await dialog.getByText("wak_newsecret0123456789").isVisible())
      await dialog.getByRole("button", { name: "I've copied it" }).click()
      await page.getByRole("link", { name: "blog" }).waitFor()
      assert.deepInclude(world.keys.at(-1)?.limits, { runs: 3, browsers: null })
      assert.deepStrictEqual(world.keys.at(-1)?.scopes, ["read", "runs", "browsers"])
      assert.notInclude((await page.locator("body").textContent()) ?? "", "wak_newsecret0123456789")
    }))

  it("are revoked and rotated after a confirmation", () =>
    visit("/keys", async (page, { world }) => {
      await page.getByRole("button", { name: "Rotate support" }).click()
      await page.getByRole("alertdialog").getByRole("button", { name: "Rotate support" }).click()
      await page.getByText("wak_newsecret0123456789").waitFor()
      await page.getByRole("button", { name: "I've copied it" }).click()
      await page.getByRole("button", { name: "Revoke support" }).click()
      await page.getByRole("alertdialog").getByRole("button", { name: "Revoke support" }).click()
      await page.getByText("Key support revoked").waitFor()
      assert.isNotNull(world.keys.find(({ name }) => name === "support")?.revokedAt ?? null)
    }))

  it("warn that revoking one's own key signs one out", () =>
    visit("/keys", async (page) => {
      const warning = page.getByRole("alertdialog").getByText("You're signed in with this key")
      await page.getByRole("button", { name: "Revoke support" }).click()
      await page.getByRole("alertdialog").getByText("Its runs are kept.").waitFor()
      assert.isFalse(await warning.isVisible())
      await page.getByRole("button", { name: "Back" }).click()
      await page.getByRole("button", { name: "Revoke shop" }).click()
      await warning.waitFor()
    }))

  it("get different limits", () =>
    visit("/keys", async (page, { world }) => {
      await page.getByRole("button", { name: "Set limits for research" }).click()
      const set = page.getByRole("dialog").getByRole("button", { name: "Set limits" })
      const heights = () =>
        page
          .getByRole("dialog")
          .getByRole("textbox")
          .evaluateAll((inputs) => inputs.map(({ clientHeight }) => clientHeight))
      const before = await heights()
      await page.getByLabel("USD per day").fill("much")
      await set.click()
      await page.getByText("Enter an amount such as 2.50").waitFor()
      assert.deepStrictEqual(await heights(), before)
      await page.getByLabel("USD per day").fill("2.5")
      await set.click()
      await page.getByText("$0.8400 of $2.50").waitFor()
      assert.strictEqual(world.keys.find(({ name }) => name === "research")?.limits.usdPerDay, 2.5)
    }))
})
