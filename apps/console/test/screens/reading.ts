import type { Page } from "playwright-core"

/** The path and query of the page's address, without the console's own path. */
export const pathOf = (page: Page): string => {
  const { pathname, search } = new URL(page.url())
  return pathname.replace(/^\/console/u, "") + search
}

/** A row of the list of runs by its place, in the page or still on its way. */
export const row = (page: Page, index: number) => page.locator(`[role=row][aria-rowindex="${index + 2}"]`)
