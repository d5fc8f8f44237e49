import type { Describing } from "./Describing.ts"
import type { Naming } from "./Naming.ts"
import type { Numbering } from "./Numbering.ts"
import type { Roles } from "./Roles.ts"
import type { Clip } from "./Sight.ts"
import type { Words } from "./Words.ts"

/** Limits the part of a document to read. */
export interface ReadOptions {
  /** The first number that is free. */
  readonly next: number
  /** The number of the look that this is part of. */
  readonly look: number
  /** The number of screens above and below that are read. `null` reads the whole document, without numbers. */
  readonly margin: number | null
  readonly maxChars: number
}

/** A numbered element, as the model is shown it. */
export interface ShownElement {
  readonly number: number
  readonly role: string
  /** The whole name, even if the model is only shown its beginning; empty if it's shown without a name. */
  readonly name: string
  /** The address of its document, which may be that of a frame. */
  readonly url: string
}

/** A document as text. */
export interface Read {
  /** Lines; the frame of `frames[n]` belongs where a line is the mark and `n`. */
  readonly text: string
  readonly frames: ReadonlyArray<string>
  /** The first number that is free now. */
  readonly next: number
  readonly url: string
  readonly title: string
  /** Pixels of the document above and below the screen, and the screen's height. */
  readonly above: number
  readonly below: number
  readonly height: number
  readonly elements: number
  readonly shown: ReadonlyArray<ShownElement>
  /** The number of parts that are out of sight. */
  readonly omitted: number
  /** The number of elements that may have a closed shadow root, and of frames whose id is unknown. */
  readonly opaque: number
  readonly unknownFrames: number
  /** Pixels of the document that are hidden at the left and right. */
  readonly left: number
  readonly right: number
  /** Is true if a captcha or a canvas is visible. */
  readonly captcha: boolean
  readonly canvas: boolean
}

/** The text of a document while it is read. */
export interface Draft {
  /** True if the whole document is read, without numbers. */
  readonly isWhole: boolean
  readonly maxChars: number
  readonly focused: Element | null
  /** The part of the document to read. */
  readonly screen: Clip
  /** The height of the window. */
  readonly height: number
  readonly lines: Array<string>
  readonly frames: Array<string>
  /** Elements that may have a closed shadow root. */
  readonly opaque: Array<Element>
  line: string
  /** Is true if the line keeps the white space at its beginning. */
  isCode: boolean
  /** Cells of a table's row that are out of sight and not written yet. */
  hiddenCells: number
  readonly look: number
  /** The end of the line: inside a word of the page, after a space of it, or neither. */
  end: "word" | "space" | "other"
  chars: number
  next: number
  elements: number
  readonly shown: Array<ShownElement>
  omitted: number
  unknownFrames: number
  canvas: boolean
}

/** Writes the lines of a document. Runs in the page. */
export const drafting = (world: Words & Roles & Naming & Describing & Numbering) => {
  const { beginLook, cut, looksOf, nameOf, numberOf, plain, quote, rememberRows, roleOf, squash, statesOf } = world
  const { valueOf } = world
  const captchas =
    "iframe[src*='recaptcha/'],iframe[src*='hcaptcha.com'],iframe[src*='challenges.cloudflare.com'],iframe[src*='arkoselabs'],.cf-turnstile,#challenge-form"
  /** The look that showed an element first. */
  const firstLooks = new WeakMap<Element, number>()

  const startDraft = ({ look, margin, maxChars, next }: ReadOptions): Draft => {
    beginLook(look)
    const isWhole = margin === null
    const height = innerHeight
    return {
      isWhole,
      maxChars,
      height,
      focused: document.activeElement,
      screen: isWhole
        ? { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity }
        : { left: -innerWidth * 0.2, top: -height * margin, right: innerWidth * 1.2, bottom: height * (1 + margin) },
      lines: [],
      frames: [],
      opaque: [],
      line: "",
      isCode: false,
      hiddenCells: 0,
      look,
      end: "other",
      chars: 0,
      next,
      elements: 0,
      shown: [],
      omitted: 0,
      unknownFrames: 0,
      canvas: false
    }
  }

  /** Writes how many cells of a row are out of sight, because an empty cell would be wrong data. */
  const sayHidden = (draft: Draft) => {
    const { hiddenCells } = draft
    draft.hiddenCells = 0
    if (hiddenCells > 0) draft.line += `(${hiddenCells} ${hiddenCells === 1 ? "cell" : "cells"} out of sight)`
  }

  /** Begins a cell of a table. */
  const beginCell = (draft: Draft) => {
    sayHidden(draft)
    if (draft.line !== "") draft.line += " | "
  }

  /** Leaves out a cell that is out of sight. */
  const hideCell = (draft: Draft) => {
    draft.omitted++
    if (draft.line !== "" && draft.hiddenCells === 0) draft.line += " | "
    draft.hiddenCells++
  }

  /** Completes a line. */
  const flush = (draft: Draft) => {
    // a row that is out of sight as a whole isn't written
    if (draft.line === "") draft.hiddenCells = 0
    sayHidden(draft)
    const done = draft.isCode ? draft.line.trimEnd() : draft.line.trim()
    // a bullet waits for its text
    if (/^(?:-|#+)$/u.test(done)) return
    draft.line = ""
    draft.isCode = false
    draft.end = "other"
    if (done === "" || done === "|") return
    draft.chars += done.length + 1
    if (draft.chars > draft.maxChars) draft.omitted++
    else draft.lines.push(done)
  }

  /** Adds a word or more to the line. */
  const say = (draft: Draft, text: string, isTight = false) => {
    draft.line += isTight || draft.line === "" || draft.line.endsWith(" ") ? text : ` ${text}`
    draft.end = "other"
  }

  /** Returns the text of an interactive element, with its number. */
  const describe = (draft: Draft, element: Element, box: DOMRect, isNamed = true, isPlaced = isNamed): string => {
    draft.elements++
    const role = roleOf(element)
    const whole = nameOf(element)
    const full = cut(whole, 150)
    const name = isNamed ? full : ""
    if (draft.isWhole) return plain(`${name}${valueOf(element)}`)
    const number = numberOf(element, draft.next, role, full, isNamed)
    if (number === draft.next) draft.next++
    draft.shown.push({ number, role, name: isNamed ? cut(whole, 2000) : "", url: location.href })
    const first = firstLooks.get(element) ?? draft.look
    firstLooks.set(element, first)
    const fresh = first === draft.look ? "*" : ""
    const isShape = role === "clickable" || role === "canvas" || role.startsWith("svg")
    const isPlain = name === "" || name.startsWith(".") || element instanceof SVGElement
    const looks = isPlaced && isShape && isPlain ? looksOf(element, box) : ""
    const called = name === "" ? "" : ` ${quote(name)}`
    return `${fresh}[${number} ${role}${called}${valueOf(element)}${statesOf(element, element === draft.focused)}${looks}]`
  }

  const finishDraft = (draft: Draft): Read => {
    const { canvas, elements, frames, height, lines, next, omitted, opaque, shown, unknownFrames } = draft
    rememberRows(shown.map(({ number }) => number))
    const { scrollHeight, scrollWidth } = document.documentElement ?? { scrollHeight: 0, scrollWidth: 0 }
    return {
      text: lines.join("\n").toWellFormed(),
      frames,
      next,
      url: location.href,
      title: plain(squash(document.title)).toWellFormed(),
      above: Math.round(scrollY),
      below: Math.max(0, Math.round(scrollHeight - scrollY - height)),
      height,
      left: Math.round(scrollX),
      right: Math.max(0, Math.round(scrollWidth - scrollX - innerWidth)),
      elements,
      shown,
      omitted,
      opaque: opaque.length,
      unknownFrames,
      captcha: Array.from(document.querySelectorAll(captchas)).some((one) => one.getBoundingClientRect().height >= 40),
      canvas
    }
  }

  return { startDraft, flush, say, beginCell, hideCell, describe, finishDraft }
}

export type Drafting = ReturnType<typeof drafting>
