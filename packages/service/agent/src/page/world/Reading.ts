import type { Around, Contents } from "./Contents.ts"
import type { Controls } from "./Controls.ts"
import type { Draft, Drafting, Read, ReadOptions } from "./Drafting.ts"
import type { Roles } from "./Roles.ts"
import type { Sight } from "./Sight.ts"
import type { Trees } from "./Trees.ts"

/** Reads a document as people see it. Runs in the page. */
export const reading = (world: Trees & Roles & Sight & Drafting & Contents & Controls) => {
  const { aroundAll, backgroundOf, beginCell, boxesOf, describe, eachChild, finishDraft, flush } = world
  const { isEmpty, isHeard, isInteractive, isLegible, isOpaque, isReachable, isSolid, itemsOf, misses } = world
  const { modalInFront, readActing, readBox, readFrame, readMedia, readScrollArea, readShape, readText, rootOf } = world
  const { hear, hearDays, hideCell, say, startDraft, within } = world
  const skipped = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "META", "LINK", "TITLE", "DATALIST"])
  const shapes = /^(?:rect|circle|ellipse|polygon|path|line|polyline|text)$/u
  let opaque: ReadonlyArray<Element> = []

  const readElement = (draft: Draft, element: Element, around: Around): void => {
    const tag = element.tagName
    if (skipped.has(tag)) return
    const own = element.getBoundingClientRect()
    const isBoxed = own.width > 0 && own.height > 0
    // far away: its style, which costs more than its place, isn't read
    if (
      isBoxed &&
      (own.bottom < around.clip.top - draft.height * 2 || own.top > around.clip.bottom + draft.height * 2)
    ) {
      draft.omitted++
      return
    }
    const style = getComputedStyle(element)
    if (style.display === "none") {
      if (element instanceof HTMLInputElement && element.type === "file") say(draft, describe(draft, element, own))
      return
    }
    const { position } = style
    const clip = position === "fixed" ? draft.screen : position === "absolute" ? around.placed : around.clip
    const boxes = isBoxed ? [own] : boxesOf(element)
    const box = boxes.find((one) => !misses(one, clip)) ?? boxes[0] ?? own
    const isSized = box.width > 0 && box.height > 0
    const isOutside = isSized && misses(box, clip)
    // drawings are inline as well, and do clip
    const isClipping = element instanceof SVGElement || !/^(?:inline|contents)$/u.test(style.display)
    const clips = style.overflow !== "visible" && isClipping
    const isCell = style.display === "table-cell"
    if (isCell && isOutside) return hideCell(draft)
    // an element that doesn't clip may have parts that stick out of its box
    if (isOutside && clips) {
      draft.omitted++
      return
    }
    const isBlock = tag === "BR" || !/^(?:inline|contents|ruby)/u.test(style.display)
    if (isCell) beginCell(draft)
    else if (isBlock && !isCell) flush(draft)

    if (style.display !== "inline") draft.end = "other"
    const isRoot = tag === "BODY" || tag === "HTML"
    const isDrawn = around.isDrawn && isSolid(style, element)
    const isInSight = isSized && !isOutside && style.visibility === "visible"
    const acts = isInteractive(element, style, around.hasPointer)
    if (tag === "IFRAME" || tag === "FRAME") {
      if (isInSight) readFrame(draft, element)
      return
    }
    if (tag === "IMG" || tag === "VIDEO" || tag === "AUDIO") {
      if (isInSight && isDrawn) readMedia(draft, element, box, acts)
      return
    }
    if (tag === "CANVAS" && isInSight) draft.canvas = true
    if (tag === "TABLE") hearDays(element)

    const root = rootOf(element)
    const isBare = isEmpty(element)
    const mayShow = isInSight || style.display === "contents"
    if (root === undefined && mayShow && (tag.includes("-") || (isBare && !isRoot)) && isOpaque(element)) {
      draft.opaque.push(element)
    }
    const isMarked = !isBare && (/^H[1-6]$/u.test(tag) || (tag === "LI" && style.display === "list-item"))
    if (acts && !isOutside && isReachable(element, style, box, isBare)) {
      if (readActing(draft, element, style, box)) {
        if (isBlock && !isCell) flush(draft)
        return
      }
    } else if (acts && !isSized && isHeard(element)) {
      // a list has no height when its parts float
      hear(...itemsOf(element))
    } else if (element instanceof SVGElement && isInSight && isDrawn && shapes.test(tag)) {
      return readShape(draft, element, box)
    } else if (tag === "CANVAS") {
      if (isInSight && isDrawn) say(draft, describe(draft, element, box))
      return
    } else if (isMarked) say(draft, tag === "LI" ? "-" : "#".repeat(Number(tag[1])))
    else if (isBare && isInSight && isDrawn && root === undefined)
      readBox(draft, element, style, box, around.background)

    if (isInSight && !isRoot && !draft.isWhole) readScrollArea(draft, element, style)

    const background = backgroundOf(style, around.background)
    const inner = clips && isSized && !isRoot && !draft.isWhole ? within(clip, box) : clip
    // people can't read text that is clipped to a few pixels
    const isClipped = clips && !isRoot && Math.min(box.width, box.height) < 3
    const inside: Around = {
      clip: inner,
      placed: position === "static" && style.transform === "none" ? around.placed : inner,
      isSeen: style.visibility === "visible" && isDrawn && !isClipped && isLegible(style, background),
      hasPointer: around.hasPointer || (acts && style.cursor === "pointer"),
      isCode: style.whiteSpaceCollapse !== "collapse",
      isDrawn,
      background
    }
    eachChild(element, (child) => readNode(draft, child, inside))
    if (style.display !== "inline") draft.end = "other"
    if (isBlock && !isCell) flush(draft)
    // the bullet has no text
    if (isMarked && /^(?:-|#+)$/u.test(draft.line.trim())) draft.line = ""
  }

  const readNode = (draft: Draft, node: Node, around: Around) => {
    if (node.nodeType === Node.TEXT_NODE) readText(draft, node, around)
    else if (node instanceof Element) readElement(draft, node, around)
  }

  const read = (options: ReadOptions): Read => {
    const draft = startDraft(options)
    const { lines, screen } = draft
    ;({ opaque } = draft)
    // a modal dialog hides the rest
    const modal = modalInFront()
    if (modal !== undefined) lines.push("(a dialog covers the page)")
    const start = modal ?? document.body ?? document.documentElement
    if (start !== null) readNode(draft, start, aroundAll(screen))
    flush(draft)
    return finishDraft(draft)
  }

  return { read, opaqueElements: () => opaque }
}

export type Reading = ReturnType<typeof reading>
