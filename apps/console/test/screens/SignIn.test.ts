import { assert, describe, it } from "vitest"
import { checkAccessibility, useConsole } from "./Console.ts"
import { pathOf } from "./reading.ts"

describe("the sign-in", () => {
  const { visit } = useConsole()

  it("accepts a key, and returns when the session ends", () =>
    visit("/keys", async (page, { behavior }) => {
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.getByLabel("API key").fill("wak_wrong")
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.getByText("Invalid API key.").waitFor()
      await checkAccessibility(page, "the sign-in with an error")
      await page.getByLabel("API key").fill("wak_test")
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.getByRole("link", { name: "research" }).waitFor()
      // the address is the one from before
      assert.strictEqual(pathOf(page), "/keys")
      assert.deepStrictEqual(
        await page.evaluate(() => Object.values(localStorage).filter((text) => text.includes("wak_"))),
        []
      )
      behavior.signedIn = false
      await page.getByRole("link", { name: "Overview" }).click()
      await page.getByLabel("API key").waitFor()
    }))

  it("returns after a restart that ended the session", () =>
    visit("/settings", async (page, { behavior, cut }) => {
      await page.getByText("Live", { exact: true }).waitFor()
      behavior.signedIn = false
      cut()
      await page.getByLabel("API key").waitFor()
    }))

  it("returns when a change finds the session over", () =>
    visit("/start", async (page, { behavior }) => {
      await page.getByLabel("Task").fill("Find a red mug")
      behavior.signedIn = false
      await page.getByRole("button", { name: "Start the run" }).click()
      await page.getByLabel("API key").waitFor()
    }))

  it("hides changes of keys from a key without the scope admin", () =>
    visit("/", async (page, { behavior }) => {
      behavior.isAdmin = false
      await page.goto(page.url().replace(/\/?$/u, "/keys"))
      await page.getByText("Only a key with the admin scope can create and change keys.").waitFor()
      await page.getByRole("link", { name: "research" }).waitFor()
      assert.strictEqual(await page.getByRole("button", { name: /^(?:Create|Limits|Rotate|Revoke)/u }).count(), 0)
    }))

  it("hides the screens that a key without the scope admin may not use", () =>
    visit("/", async (page, { behavior }) => {
      const links = () => page.getByRole("navigation").first().getByRole("link").allTextContents()
      await page.getByRole("heading", { name: "Overview" }).waitFor()
      await page.getByRole("link", { name: "Nodes", exact: true }).first().waitFor()
      const all = await links()
      behavior.isAdmin = false
      await page.reload()
      await page.getByRole("link", { name: "Nodes", exact: true }).waitFor({ state: "detached" })
      assert.deepStrictEqual(
        await links(),
        all.filter((text) => !/Nodes|Settings/u.test(text))
      )
      await page.goto(page.url().replace(/\/?$/u, "/nodes"))
      await page.getByText("your key can't see it").waitFor()
    }))
})
