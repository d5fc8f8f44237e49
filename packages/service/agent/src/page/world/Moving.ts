import type { Locating } from "./Locating.ts"
import type { Numbering } from "./Numbering.ts"
import type { Trees } from "./Trees.ts"
import type { Words } from "./Words.ts"

/** Scrolling, finding text, and waiting for the page to come to rest. Runs in the page. */
export const moving = ({
  all,
  cut,
  deepest,
  frame,
  holds,
  isHidden,
  mustResolve,
  squash,
  textNodes
}: Words & Trees & Numbering & Locating) => {
  const foundBefore = new WeakSet<Element>()

  const canScroll = (element: Element) => element.scrollHeight > element.clientHeight + 4

  /** The area that an element is in; for the page its own, or the largest inside where that does not scroll. */
  const areaOf = (start: Element | null): Element => {
    const page = document.scrollingElement ?? document.documentElement
    for (let at = start; at !== null; at = at.parentElement) if (canScroll(at)) return at
    if (start !== null || canScroll(page)) return page
    const size = ({ clientHeight, clientWidth }: Element) => clientHeight * clientWidth
    return Array.from(all(document))
      .filter((one) => canScroll(one) && /auto|scroll/u.test(getComputedStyle(one).overflowY))
      .reduce((largest, one) => (largest === page || size(one) > size(largest) ? one : largest), page)
  }

  const scroll = (number: number | null, direction: "up" | "down" | "top" | "bottom", pages: number): number => {
    const area = areaOf(number === null ? null : mustResolve(number))
    const screen = area === document.scrollingElement ? innerHeight : area.clientHeight
    const before = area.scrollTop
    const by = { up: -pages * screen * 0.9, down: pages * screen * 0.9, top: -before, bottom: area.scrollHeight }
    area.scrollBy({ top: by[direction], behavior: "instant" })
    return Math.round(area.scrollTop - before)
  }

  const isShown = (element: Element) => {
    const { height, left, top, width } = element.getBoundingClientRect()
    const at = deepest(left + Math.min(width, 20) / 2, top + height / 2)
    return at !== null && (holds(element, at) || holds(at, element))
  }

  /** Finds text, and scrolls to the first that is not in sight; asked again, to the one after it. */
  const find = (wanted: string): ReadonlyArray<string> => {
    const low = squash(wanted).toLowerCase()
    const elements: Array<HTMLElement> = []
    for (const node of textNodes(document)) {
      const parent = node.parentElement
      if (parent === null || !squash(node.data).toLowerCase().includes(low) || isHidden(parent)) continue
      elements.push(parent)
      if (elements.length === 50) break
    }
    const fresh = elements.filter((element) => !foundBefore.has(element))
    const next = fresh.find((element) => !isShown(element)) ?? fresh[0] ?? elements[0]
    if (next !== undefined) {
      foundBefore.add(next)
      next.scrollIntoView({ block: "center", behavior: "instant" })
    }
    return elements
      .slice(0, 8)
      .map((element) => `${element === next ? "(here) " : ""}${cut(squash(element.innerText), 200)}`)
  }

  /** Waits until nothing changes for so long, at most as long as given; tells whether it came to rest. */
  const settle = async (quiet_ms: number, most_ms: number): Promise<boolean> => {
    const began = performance.now()
    let changed = -Infinity
    const observer = new MutationObserver(() => (changed = performance.now()))
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
    // the first may come at once; what an event set off, such as a fade, shows in the second
    await frame()
    await frame()
    const isBusy = () =>
      document.readyState === "loading" ||
      performance.now() - changed < quiet_ms ||
      document
        .getAnimations()
        .some(({ effect, playState }) => playState === "running" && Number(effect?.getComputedTiming().endTime) < 1500)
    while (isBusy()) {
      if (performance.now() - began > most_ms) {
        observer.disconnect()
        return false
      }
      await frame()
    }
    observer.disconnect()
    return true
  }

  /** Returns whether text has a width. It has none without fonts, and pages look blank. */
  const hasFonts = () => (new OffscreenCanvas(1, 1).getContext("2d")?.measureText("Text").width ?? 1) > 0

  const timeZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone

  return { scroll, find, settle, hasFonts, timeZone }
}

export type Moving = ReturnType<typeof moving>
