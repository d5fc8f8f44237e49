import type { Page } from "playwright-core"
import { assert } from "vitest"

/** A stop of the Tab key. */
interface Stop {
  /** The element's role or tag, with the beginning of its name. */
  readonly name: string
  readonly isNew: boolean
  /** True for a control with several stops, such as the buttons of a video or the parts of a date. */
  readonly isCompound: boolean
  readonly isInDialog: boolean
  readonly problems: ReadonlyArray<string>
}

/** Most presses of Tab on a screen. */
const mostStops = 500

/** Most stops within one control, for example within a video's. */
const mostWithin = 12

/** Installs the functions that look at the focus, in the page. */
const install = () => {
  const scope = globalThis as { look?: () => Stop | null; missed?: () => ReadonlyArray<string> }
  const seen = new Set<Element>()
  const nameOf = (element: Element) =>
    `${element.getAttribute("role") ?? element.tagName.toLowerCase()} ${(
      element.getAttribute("aria-label") ??
      (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
        ? element.labels?.[0]?.textContent
        : element.textContent) ??
      ""
    )
      .trim()
      .slice(0, 50)}`
  const isOutlined = (element: Element | null): boolean => {
    if (element === null) return false
    const { outlineColor, outlineStyle, outlineWidth } = getComputedStyle(element)
    return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1 && !/ 0\)$|transparent/u.test(outlineColor)
  }
  // a field may show the focus with the box around it
  const isMarked = (element: Element): boolean =>
    isOutlined(element) || isOutlined(element.parentElement) || getComputedStyle(element).boxShadow !== "none"
  const problemsOf = (element: Element): ReadonlyArray<string> => {
    const box = [...element.getClientRects()].find(({ height, width }) => height > 0 && width > 0)
    if (box === undefined || !element.checkVisibility({ visibilityProperty: true })) return ["isn't visible"]
    const [left, right] = [Math.max(0, box.left), Math.min(innerWidth, box.right)]
    const [top, bottom] = [Math.max(0, box.top), Math.min(innerHeight, box.bottom)]
    if (right - left < Math.min(4, box.width) || bottom - top < Math.min(12, box.height)) return ["is out of view"]
    // of a high one, such as a text field of several lines, the line of the cursor is enough
    const places = bottom - top > 80 ? [top + 16, (top + bottom) / 2] : [(top + bottom) / 2]
    const above = places.map((y) => document.elementFromPoint((left + right) / 2, y))
    const isFree = above.some((one) => one === null || element.contains(one) || one.contains(element))
    return [
      ...(isFree ? [] : [`is behind ${above.map((one) => (one === null ? "" : nameOf(one))).join(" and ")}`]),
      ...(isMarked(element) ? [] : ["shows no focus"])
    ]
  }
  scope.look = () => {
    const { activeElement: element } = document
    if (element === null || element === document.body) return null
    const isNew = !seen.has(element)
    seen.add(element)
    return {
      name: nameOf(element),
      isNew,
      isCompound: element.matches("video,input[type=date]"),
      isInDialog: element.closest("[role=dialog],[role=alertdialog]") !== null,
      problems: isNew ? problemsOf(element) : []
    }
  }
  scope.missed = () =>
    [...document.querySelectorAll<HTMLElement>("a[href],button,input,select,textarea,summary,[tabindex]")]
      .filter((element) => element.tabIndex >= 0 && !element.matches(":disabled,[data-base-ui-focus-guard]"))
      .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !seen.has(element))
      .map(nameOf)
}

const look = async (page: Page) => {
  // a dialog sends the focus back from its edges
  await page.waitForFunction(() => document.activeElement?.matches("[data-base-ui-focus-guard]") !== true)
  return page.evaluate(() => (globalThis as { look?: () => Stop | null }).look?.() ?? null)
}

/**
 * Goes through a page with Tab: every control is reached, is in view and in front, and shows that it has the focus. A
 * dialog keeps the focus, and Esc closes it.
 */
export const walk = async (page: Page, what: string): Promise<void> => {
  // a control that appears in the middle of the walk would be missed
  await page.waitForLoadState("networkidle")
  await page.evaluate(install)
  const isDialog = (await page.locator("[role=dialog],[role=alertdialog]").count()) > 0
  if (isDialog)
    await page.waitForFunction(() => document.activeElement?.closest("[role=dialog],[role=alertdialog]") !== null)
  else
    await page.evaluate(() => {
      // the next Tab begins at the top
      document.body.tabIndex = -1
      document.body.focus()
      document.body.removeAttribute("tabindex")
    })
  const problems: Array<string> = []
  let within = 0
  for (let stops = 0; ; stops++) {
    await page.keyboard.press("Tab")
    const stop = await look(page)
    if (stop === null) {
      if (isDialog) problems.push("Tab leaves the dialog")
      break
    }
    if (isDialog && !stop.isInDialog) problems.push(`Tab leaves the dialog for ${stop.name}`)
    for (const problem of stop.problems) problems.push(`${stop.name} ${problem}`)
    if (stop.isNew) within = 0
    if (!stop.isNew && !(stop.isCompound && within++ < mostWithin)) {
      if (!isDialog && stops > 0) problems.push(`Tab never leaves ${stop.name}`)
      break
    }
    if (stops > mostStops) assert.fail(`${what} has more than ${mostStops} stops of Tab`)
  }
  if (!isDialog) {
    const missed = await page.evaluate(() => (globalThis as { missed?: () => ReadonlyArray<string> }).missed?.() ?? [])
    for (const name of missed) problems.push(`Tab never reaches ${name}`)
    await page.keyboard.press("Shift+Tab")
    if ((await look(page)) === null) problems.push("Shift Tab doesn't go back into the page")
  }
  assert.deepStrictEqual(problems, [], what)
  if (!isDialog) return
  await page.keyboard.press("Escape")
  await page.waitForFunction(() => document.querySelector("[role=dialog],[role=alertdialog]") === null)
}

/** The keys that work everywhere: `?` lists the keys, and Ctrl K opens the palette. Esc closes both. */
export const pressEverywhere = async (page: Page): Promise<void> => {
  // a field that has the focus keeps `?` for itself
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur())
  for (const key of ["?", "Control+k"]) {
    await page.keyboard.press(key)
    await page.getByRole("dialog").waitFor()
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
  }
}
