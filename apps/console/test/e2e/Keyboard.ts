import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { assert } from "vitest"

/** Longest time in milliseconds that a control takes to appear on a busy machine. */
const patience = 60_000

/** Presses Tab until the focus is on a control with this name; a person with a keyboard has no other way. */
export const tabTo = async (page: Page, name: string) => {
  const end = Date.now() + patience
  for (let presses = 0; presses < 120 || Date.now() < end; presses++) {
    await page.keyboard.press("Tab")
    const isThere = await page.evaluate((wanted) => {
      const { activeElement: element } = document
      if (!(element instanceof HTMLElement)) return false
      const label =
        element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
          ? element.labels?.[0]?.textContent
          : element.textContent
      // a region that scrolls has the focus as well, and begins with the text of what is in it
      return (element.ariaLabel ?? label)?.trim().startsWith(wanted) ?? false
    }, name)
    if (isThere) return
  }
  assert.fail(`Tab never reaches ${name}`)
}

/** Presses a button or a link that Tab reaches. */
export const press = async (page: Page, name: string) => {
  await tabTo(page, name)
  await page.keyboard.press("Enter")
}

/** Presses a button that asks first, and the button that confirms, which has the same name by default. */
export const confirm = async (page: Page, name: string, confirmation = name) => {
  await press(page, name)
  // until the dialog has the focus, Tab reaches the button that opened it
  await page.waitForFunction(() => document.activeElement?.closest("[role=alertdialog]"))
  await press(page, confirmation)
}

/** Opens a screen by its letter. */
export const goTo = async (page: Page, letter: string, heading: string) => {
  // one after the other, the letter comes too late on a busy machine
  await Promise.all([page.keyboard.press("g"), page.keyboard.press(letter)])
  await page.getByRole("heading", { name: heading, exact: true, level: 1 }).waitFor()
}

/** Starts a run from the form, and is then on its page. */
export const start = async (page: Page, task: string) => {
  await goTo(page, "s", "Start a run")
  // the form begins there
  await page.waitForFunction(() => document.activeElement?.tagName === "TEXTAREA")
  await page.keyboard.type(task)
  await page.keyboard.press("Control+Enter")
  await page.waitForURL(/\/console\/runs\/[\w-]+$/u)
}

/** Moves to the first row of the screen's list. */
export const toFirstRow = async (page: Page) => {
  // another screen takes the focus, and j then begins with its list
  await page.evaluate(() => document.querySelector<HTMLElement>("#main")?.focus())
  await page.keyboard.press("j")
  await page.waitForFunction(() => document.activeElement?.matches("[role=row],[data-row]"))
}

/** Presses a button that saves a file, and returns its name and content. */
export const save = async (page: Page, name: string) => {
  await tabTo(page, name)
  const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")])
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) }
}
