import type { Describing } from "./Describing.ts"
import type { Locating } from "./Locating.ts"
import type { Naming } from "./Naming.ts"
import type { Numbering } from "./Numbering.ts"
import type { Roles } from "./Roles.ts"
import type { Trees } from "./Trees.ts"
import type { Words } from "./Words.ts"

/** The direction of a scroll. */
export type Direction = "up" | "down" | "top" | "bottom" | "left" | "right"

/** Scrolling, finding text, and waiting for the page to come to rest. Runs in the page. */
export const moving = (world: Words & Trees & Roles & Naming & Describing & Numbering & Locating) => {
  const { all, boxedFor, cut, deepest, frame, holds, isField, isHidden, mustResolve, nameOf, roleOf, squash } = world
  const { textNodes, wholeOf } = world
  const foundBefore = new WeakSet<Element>()

  /** Returns whether the content of an element is larger than the element, in one direction. */
  const canScroll = (element: Element, isSideways: boolean) =>
    isSideways ? element.scrollWidth > element.clientWidth + 4 : element.scrollHeight > element.clientHeight + 4

  /** The area that an element is in; for the page its own, or the largest inside where that does not scroll. */
  const areaOf = (start: Element | null, isSideways: boolean): Element => {
    const page = document.scrollingElement ?? document.documentElement
    const overflowOf = (element: Element) => getComputedStyle(element)[isSideways ? "overflowX" : "overflowY"]
    for (let at = start; at !== null; at = at.parentElement) {
      if (canScroll(at, isSideways) && overflowOf(at) !== "visible") return at
    }
    if (start !== null || canScroll(page, isSideways)) return page
    const size = ({ clientHeight, clientWidth }: Element) => clientHeight * clientWidth
    return Array.from(all(document))
      .filter((one) => canScroll(one, isSideways) && /auto|scroll/u.test(overflowOf(one)))
      .reduce((largest, one) => (largest === page || size(one) > size(largest) ? one : largest), page)
  }

  /** Scrolls the area that an element is in, or the page, and returns by how many pixels. */
  const scroll = (number: number | null, direction: Direction, pages: number): number => {
    const isSideways = direction === "left" || direction === "right"
    const area = areaOf(number === null ? null : mustResolve(number), isSideways)
    const isPage = area === document.scrollingElement
    const before = isSideways ? area.scrollLeft : area.scrollTop
    const down = pages * 0.9 * (isPage ? innerHeight : area.clientHeight)
    const right = pages * 0.9 * (isPage ? innerWidth : area.clientWidth)
    const by = { up: -down, down, top: -before, bottom: area.scrollHeight, left: -right, right }[direction]
    area.scrollBy({ [isSideways ? "left" : "top"]: by, behavior: "instant" })
    return Math.round((isSideways ? area.scrollLeft : area.scrollTop) - before)
  }

  const isShown = (element: Element) => {
    const { height, left, top, width } = element.getBoundingClientRect()
    const at = deepest(left + Math.min(width, 20) / 2, top + height / 2)
    return at !== null && (holds(element, at) || holds(at, element))
  }

  /** Returns the part of a text around a match. */
  const around = (text: string, at: number): string => {
    const from = Math.max(0, at - 80)
    return `${from > 0 ? "…" : ""}${cut(text.slice(from).toWellFormed(), 200)}`
  }

  /** Returns the visible elements that have a text, and fields that have it in their value or options. */
  const matchesOf = (wanted: string, most: number): ReadonlyMap<HTMLElement, string> => {
    const low = squash(wanted).toLowerCase()
    const matches = new Map<HTMLElement, string>()
    const add = (element: HTMLElement | null, text: string, whole: () => string) => {
      if (element === null || matches.size >= most || matches.has(element)) return
      if (!squash(text).toLowerCase().includes(low) || isHidden(element)) return
      const full = squash(whole())
      matches.set(element, around(full, full.toLowerCase().indexOf(low)))
    }
    for (const { data, parentElement: parent } of textNodes(document)) {
      if (parent !== null && !isField(parent)) add(parent, data, () => parent.innerText)
    }
    for (const field of all(document)) {
      if (isField(field) && !field.matches("[type=password],[type=hidden]"))
        add(field, wholeOf(field), () => `${roleOf(field)} ${nameOf(field)}: ${wholeOf(field)}`)
    }
    return matches
  }

  /** Finds text, and scrolls to the first that is not in sight; asked again, to the one after it. */
  const find = (wanted: string): ReadonlyArray<string> => {
    const matches = matchesOf(wanted, 50)
    const elements = Array.from(matches.keys())
    const fresh = elements.filter((element) => !foundBefore.has(element))
    const next = fresh.find((element) => !isShown(element)) ?? fresh[0] ?? elements[0]
    if (next !== undefined) {
      foundBefore.add(next)
      boxedFor(next).scrollIntoView({ block: "center", behavior: "instant" })
    }
    return elements.slice(0, 8).map((element) => `${element === next ? "(here) " : ""}${matches.get(element)}`)
  }

  const hasText = (wanted: string): boolean => matchesOf(wanted, 1).size > 0

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

  return { scroll, find, hasText, settle, hasFonts, timeZone, whole: (number: number) => wholeOf(mustResolve(number)) }
}

export type Moving = ReturnType<typeof moving>
