import type { Draft, Drafting } from "./Drafting.ts"
import type { Describing } from "./Describing.ts"
import type { Framing } from "./Framing.ts"
import type { Naming } from "./Naming.ts"
import type { Clip, Sight } from "./Sight.ts"
import type { Trees } from "./Trees.ts"
import type { Words } from "./Words.ts"

/** Properties that a part inherits from the parts around it. */
export interface Around {
  readonly clip: Clip
  /** The clip of parts that are positioned by themselves: only their containing block cuts them off. */
  readonly placed: Clip
  readonly isSeen: boolean
  /** Is false inside a part that is transparent as a whole. */
  readonly isDrawn: boolean
  readonly hasPointer: boolean
  /** Is true if line breaks and indentation are shown, as in code. */
  readonly isCode: boolean
  /** The color behind its text; empty if it is unknown. */
  readonly background: string
}

/** Reads parts that only show something. Runs in the page. */
export const contents = (world: Words & Trees & Framing & Naming & Describing & Sight & Drafting) => {
  const { cut, describe, flush, frameIdOf, hintOf, isClear, kept, looksOf, misses, plain, quote, say, squash } = world
  const mark = "\u0001"

  const aroundAll = (screen: Clip): Around => ({
    clip: screen,
    placed: screen,
    isSeen: true,
    isDrawn: true,
    hasPointer: false,
    isCode: false,
    background: "rgb(255, 255, 255)"
  })

  /** Writes text line by line, with the indentation of each. */
  const readCode = (draft: Draft, raw: string) => {
    for (const [at, line] of kept(raw).split("\n").entries()) {
      if (at > 0) flush(draft)
      if (draft.line === "") draft.isCode = true
      draft.line += plain(line)
    }
  }

  const readText = (draft: Draft, node: Node, { clip, isCode, isSeen }: Around) => {
    const raw = isSeen ? (node.nodeValue ?? "") : ""
    const text = squash(raw)
    if (text === "") {
      if (raw !== "") draft.end = "space"
      if (isCode) readCode(draft, raw)
      return
    }
    const range = document.createRange()
    range.selectNodeContents(node)
    const box = range.getBoundingClientRect()
    if (box.width === 0 || box.height === 0) return
    if (misses(box, clip)) {
      draft.omitted++
      return
    }
    if (isCode) return readCode(draft, raw)
    say(
      draft,
      plain(text),
      /^\S/u.test(raw) && (draft.end === "word" || (draft.end === "other" && /^[,.;:!?)\]%]/u.test(text)))
    )
    draft.end = /\S$/u.test(raw) ? "word" : "space"
  }

  const readFrame = (draft: Draft, element: Element) => {
    const id = frameIdOf(element)
    if (id === undefined) {
      draft.unknownFrames++
      return
    }
    flush(draft)
    draft.lines.push(`${mark}${draft.frames.length}`)
    draft.frames.push(id)
  }

  const readShape = (draft: Draft, element: SVGElement, box: DOMRect) => {
    const owner = element.ownerSVGElement
    if (element.tagName === "text" && squash(element.textContent) !== "") say(draft, plain(squash(element.textContent)))
    else if (owner !== null && !draft.isWhole && owner.querySelectorAll("*").length <= 60) {
      say(draft, `(${element.tagName}${looksOf(element, box)})`)
    }
  }

  const readMedia = (draft: Draft, element: Element, box: DOMRect, acts: boolean) => {
    if (acts) return say(draft, describe(draft, element, box))
    const alt = squash(element.getAttribute("alt") ?? element.getAttribute("title") ?? "")
    if (alt !== "")
      say(draft, `(${element.tagName === "IMG" ? "image" : element.tagName.toLowerCase()} ${quote(cut(alt, 80))})`)
  }

  const isEmpty = (element: Element) => element.childElementCount === 0 && squash(element.textContent) === ""

  /** Writes an empty box that has a color or a picture. */
  const readBox = (draft: Draft, element: Element, style: CSSStyleDeclaration, box: DOMRect, background: string) => {
    const { height, width } = box
    const isBox = width >= 8 && height >= 8 && width < 400 && height < 400
    const isPainted =
      style.backgroundImage !== "none" || (!isClear(style.backgroundColor) && style.backgroundColor !== background)
    if (isBox && isPainted && !draft.isWhole) say(draft, plain(`(box ${hintOf(element)}${looksOf(element, box)})`))
  }

  return { aroundAll, readText, readFrame, readShape, readMedia, readBox, isEmpty }
}

export type Contents = ReturnType<typeof contents>
