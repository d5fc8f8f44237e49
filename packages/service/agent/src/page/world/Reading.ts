import type { Describing } from "./Describing.ts"
import type { Naming } from "./Naming.ts"
import type { Numbering } from "./Numbering.ts"
import type { Clip, Sight } from "./Sight.ts"
import type { Trees } from "./Trees.ts"
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
  /** The number of parts that are out of sight. */
  readonly omitted: number
  /** The number of elements that may have a closed shadow root, and of frames whose id is unknown. */
  readonly opaque: number
  readonly unknownFrames: number
  /** Is true if a captcha or a canvas is visible. */
  readonly captcha: boolean
  readonly canvas: boolean
}

/** Reads a document as people see it. Runs in the page. */
export const reading = ({
  backgroundOf,
  isClear,
  isLegible,
  misses,
  within,
  beginLook,
  cut,
  frameIdOf,
  hear,
  hintOf,
  isHeard,
  isInteractive,
  isOpaque,
  looksOf,
  nameOf,
  numberOf,
  plain,
  quote,
  roleOf,
  rootOf,
  squash,
  statesOf,
  textInside,
  valueOf
}: Words & Trees & Naming & Describing & Numbering & Sight) => {
  /** Properties that a part inherits from the parts around it. */
  interface Around {
    readonly clip: Clip
    /** The clip of parts that are positioned by themselves: only their containing block cuts them off. */
    readonly placed: Clip
    readonly isSeen: boolean
    readonly hasPointer: boolean
    /** The colour behind its text; empty where that is not known. */
    readonly background: string
  }

  const mark = "\u0001"
  const captchas =
    "iframe[src*='recaptcha/'],iframe[src*='hcaptcha.com'],iframe[src*='challenges.cloudflare.com'],iframe[src*='arkoselabs'],.cf-turnstile,#challenge-form"
  const skipped = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "HEAD", "META", "LINK", "TITLE", "DATALIST"])
  const shapes = /^(?:rect|circle|ellipse|polygon|path|line|polyline|text)$/u
  const shownBefore = new WeakSet<Element>()
  let opaque: Array<Element> = []

  const read = ({ look, margin, maxChars, next: first }: ReadOptions): Read => {
    beginLook(look)
    const lines: Array<string> = []
    const frames: Array<string> = []
    const focused = document.activeElement
    const height = innerHeight
    const isWhole = margin === null
    const reach = isWhole ? Infinity : margin
    const screen: Clip = {
      left: isWhole ? -Infinity : -innerWidth * 0.2,
      top: isWhole ? -Infinity : -height * reach,
      right: isWhole ? Infinity : innerWidth * 1.2,
      bottom: isWhole ? Infinity : height * (1 + reach)
    }
    let next = first
    let line = ""
    /** The end of the line: inside a word of the page, after a space of it, or neither. */
    let end: "word" | "space" | "other" = "other"
    let chars = 0
    let elements = 0
    let omitted = 0
    let unknownFrames = 0
    let canvas = false
    opaque = []

    const flush = () => {
      const done = line.trim()
      // a bullet waits for its text
      if (/^(?:-|#+)$/u.test(done)) return
      line = ""
      end = "other"
      if (done === "" || done === "|") return
      chars += done.length + 1
      if (chars > maxChars) omitted++
      else lines.push(done)
    }
    const say = (text: string, isTight = false) => {
      line += isTight || line === "" || line.endsWith(" ") ? text : ` ${text}`
      end = "other"
    }

    const describe = (element: Element, box: DOMRect, isNamed = true, isPlaced = isNamed): string => {
      elements++
      const role = roleOf(element)
      const full = cut(nameOf(element), 150)
      const name = isNamed ? full : ""
      if (isWhole) return plain(`${name}${valueOf(element)}`)
      const number = numberOf(element, next, role, full, isNamed)
      if (number === next) next++
      const fresh = shownBefore.has(element) ? "" : "*"
      shownBefore.add(element)
      const isShape = role === "clickable" || role === "canvas" || role.startsWith("svg")
      const isPlain = name === "" || name.startsWith(".") || element instanceof SVGElement
      const looks = isPlaced && isShape && isPlain ? looksOf(element, box) : ""
      const called = name === "" ? "" : ` ${quote(name)}`
      return `${fresh}[${number} ${role}${called}${valueOf(element)}${statesOf(element, element === focused)}${looks}]`
    }

    const readText = (node: Node, { clip, isSeen }: Around) => {
      const raw = isSeen ? (node.nodeValue ?? "") : ""
      const text = squash(raw)
      if (text === "") {
        if (raw !== "") end = "space"
        return
      }
      const range = document.createRange()
      range.selectNodeContents(node)
      const box = range.getBoundingClientRect()
      if (box.width === 0 || box.height === 0) return
      if (misses(box, clip)) {
        omitted++
        return
      }
      say(plain(text), /^\S/u.test(raw) && (end === "word" || (end === "other" && /^[,.;:!?)\]%]/u.test(text))))
      end = /\S$/u.test(raw) ? "word" : "space"
    }

    const readFrame = (element: Element) => {
      const id = frameIdOf(element)
      if (id === undefined) {
        unknownFrames++
        return
      }
      flush()
      lines.push(`${mark}${frames.length}`)
      frames.push(id)
    }

    /** A drawing that can be used shows its shapes, too; an icon does not. */
    const isDrawing = (element: Element, { height, width }: DOMRect) =>
      element instanceof SVGSVGElement && Math.min(height, width) >= 60 && element.childElementCount > 0

    /** The parts of an element that listens for all of them. */
    const itemsOf = (element: Element): ReadonlyArray<Element> =>
      element.childElementCount > 1 &&
      !/^(?:TABLE|TBODY|THEAD|TR)$/u.test(element.tagName) &&
      roleOf(element) === "clickable"
        ? Array.from(element.children).filter(
            (child) => textInside(child) !== "" && getComputedStyle(child).display !== "inline"
          )
        : []

    /** Writes the text that stands for an interactive element. Returns whether it also stands for everything inside. */
    const readActing = (element: Element, style: CSSStyleDeclaration, box: DOMRect): boolean => {
      const tag = element.tagName
      if (tag === "INPUT" || tag === "TEXTAREA" || tag === "SELECT" || tag === "CANVAS") {
        say(describe(element, box))
        return true
      }
      const root = rootOf(element)
      const text = root === undefined ? textInside(element) : ""
      const isClickable = roleOf(element) === "clickable"
      const inside = element.querySelectorAll(
        "a[href],button,input,select,textarea,[role=button],[onclick],[tabindex]:not([tabindex='-1']),iframe"
      )
      const [only] = inside
      const isTwin =
        inside.length === 1 &&
        (only?.tagName === "A" || only?.tagName === "BUTTON") &&
        text !== "" &&
        textInside(only) === text
      if (isTwin && isClickable) {
        // what merely wraps a link or a button is that link or button
        say(describe(only, box))
        return true
      }
      const drawn = isDrawing(element, box)
      const isNested = (inside.length > 0 && !isTwin) || root !== undefined || drawn
      const items = itemsOf(element)
      if (items.length > 1) hear(...items)
      const isLeaf = !isNested && text.length <= 150 && items.length <= 1
      // a text that can be clicked word by word is more than one thing
      const hasParts =
        !isTwin && element.childElementCount > 0 && Array.from(element.querySelectorAll("*")).some(isHeard)
      if (isLeaf && !hasParts) {
        say(describe(element, box))
        return true
      }
      const isWrapper =
        isClickable && style.cursor !== "pointer" && !element.hasAttribute("onclick") && (isNested || items.length > 1)
      if (!isWrapper && !isWhole) say(describe(element, box, false, drawn))
      return false
    }

    const readShape = (element: SVGElement, box: DOMRect) => {
      const owner = element.ownerSVGElement
      if (element.tagName === "text" && squash(element.textContent) !== "") say(plain(squash(element.textContent)))
      else if (owner !== null && !isWhole && owner.querySelectorAll("*").length <= 60) {
        say(`(${element.tagName}${looksOf(element, box)})`)
      }
    }

    const readMedia = (element: Element, box: DOMRect, acts: boolean) => {
      if (acts) return say(describe(element, box))
      const alt = squash(element.getAttribute("alt") ?? element.getAttribute("title") ?? "")
      if (alt !== "")
        say(`(${element.tagName === "IMG" ? "image" : element.tagName.toLowerCase()} ${quote(cut(alt, 80))})`)
    }

    const isEmpty = (element: Element) => element.childElementCount === 0 && squash(element.textContent) === ""

    /** An empty box with a colour or a picture is something to see. */
    const readBox = (element: Element, style: CSSStyleDeclaration, box: DOMRect, background: string) => {
      const { height, width } = box
      const isBox = width >= 8 && height >= 8 && width < 400 && height < 400
      const isPainted =
        style.backgroundImage !== "none" || (!isClear(style.backgroundColor) && style.backgroundColor !== background)
      if (isBox && isPainted && !isWhole) say(plain(`(box ${hintOf(element)}${looksOf(element, box)})`))
    }

    const readScrollArea = (element: Element) => {
      const number = numberOf(element, next, "scroll area", "")
      if (number === next) next++
      const above = Math.round(element.scrollTop)
      const below = Math.round(element.scrollHeight - element.clientHeight - element.scrollTop)
      say(`[${number} scroll area${above > 4 ? `, ${above} px above` : ""}${below > 4 ? `, ${below} px below` : ""}]`)
      flush()
    }

    const readElement = (element: Element, around: Around): void => {
      const tag = element.tagName
      if (skipped.has(tag)) return
      const box = element.getBoundingClientRect()
      const isSized = box.width > 0 && box.height > 0
      // nothing of what is far away is read: its style, which costs more than its place, is not asked for
      if (isSized && (box.bottom < around.clip.top - height * 2 || box.top > around.clip.bottom + height * 2)) {
        omitted++
        return
      }
      const style = getComputedStyle(element)
      if (style.display === "none") {
        if (element instanceof HTMLInputElement && element.type === "file") say(describe(element, box))
        return
      }
      const { position } = style
      const clip = position === "fixed" ? screen : position === "absolute" ? around.placed : around.clip
      const isOutside = isSized && misses(box, clip)
      const clips = style.overflow !== "visible"
      // what is out of sight may have parts that stick out of its box
      if (isOutside && clips) {
        omitted++
        return
      }
      const isBlock = tag === "BR" || !/^(?:inline|contents|ruby)/u.test(style.display)
      const isCell = style.display === "table-cell"
      if (isCell && line !== "") line += " | "
      else if (isBlock && !isCell) flush()

      if (style.display !== "inline") end = "other"
      const isRoot = tag === "BODY" || tag === "HTML"
      const isSolid = Number(style.opacity) >= 0.05
      const isInSight = isSized && !isOutside && style.visibility === "visible"
      const acts = isInteractive(element, style, around.hasPointer)
      if (tag === "IFRAME" || tag === "FRAME") {
        if (isInSight) readFrame(element)
        return
      }
      if (tag === "IMG" || tag === "VIDEO" || tag === "AUDIO") {
        if (isInSight && isSolid) readMedia(element, box, acts)
        return
      }
      if (tag === "CANVAS" && isInSight) canvas = true

      const root = rootOf(element)
      const isBare = isEmpty(element)
      if (root === undefined && isInSight && (tag.includes("-") || (isBare && !isRoot)) && isOpaque(element)) {
        opaque.push(element)
      }
      const isMarked = !isBare && (/^H[1-6]$/u.test(tag) || (tag === "LI" && style.display === "list-item"))
      const isCrumb =
        isBare &&
        Math.min(box.width, box.height) < 8 &&
        !(element instanceof SVGElement) &&
        tag !== "INPUT" &&
        tag !== "A"
      const isReachable =
        (isSized || tag === "A" || tag === "LABEL") &&
        !isOutside &&
        style.visibility === "visible" &&
        (isSolid || tag === "INPUT")
      if (acts && isReachable && !isCrumb) {
        if (readActing(element, style, box)) {
          if (isBlock && !isCell) flush()
          return
        }
      } else if (acts && !isSized && isHeard(element)) {
        // a list has no height when its parts float
        hear(...itemsOf(element))
      } else if (element instanceof SVGElement && isInSight && isSolid && shapes.test(tag)) {
        return readShape(element, box)
      } else if (tag === "CANVAS") {
        if (isInSight && isSolid) say(describe(element, box))
        return
      } else if (/^H[1-6]$/u.test(tag) && !isBare) say("#".repeat(Number(tag[1])))
      else if (tag === "LI" && !isBare && style.display === "list-item") say("-")
      else if (isBare && isInSight && isSolid && root === undefined) readBox(element, style, box, around.background)

      const scrolls = /auto|scroll/u.test(style.overflowY) && element.scrollHeight > element.clientHeight + 8
      if (scrolls && isInSight && !isRoot && !isWhole) readScrollArea(element)

      const background = backgroundOf(style, around.background)
      const inner = clips && isSized && !isRoot && !isWhole ? within(clip, box) : clip
      // people see nothing of what is clipped to a few pixels
      const isClipped = clips && !isRoot && Math.min(box.width, box.height) < 3
      readInside(element, root, {
        clip: inner,
        placed: position === "static" && style.transform === "none" ? around.placed : inner,
        isSeen: style.visibility === "visible" && isSolid && !isClipped && isLegible(style, background),
        hasPointer: around.hasPointer || (acts && style.cursor === "pointer"),
        background
      })
      if (style.display !== "inline") end = "other"
      if (isBlock && !isCell) flush()
      // nothing came of a bullet
      if (isMarked && /^(?:-|#+)$/u.test(line.trim())) line = ""
    }

    const readInside = (element: Element, root: ShadowRoot | undefined, around: Around) => {
      const assigned = element instanceof HTMLSlotElement ? element.assignedNodes({ flatten: true }) : []
      if (assigned.length > 0) for (const child of assigned) readNode(child, around)
      else
        for (let child = (root ?? element).firstChild; child !== null; child = child.nextSibling)
          readNode(child, around)
    }

    const readNode = (node: Node, around: Around) => {
      if (node.nodeType === Node.TEXT_NODE) readText(node, around)
      else if (node instanceof Element) readElement(node, around)
    }

    // a modal dialog hides the rest
    const modal = Array.from(document.querySelectorAll("dialog:modal")).at(-1)
    if (modal !== undefined) lines.push("(a dialog covers the page)")
    const start = modal ?? document.body ?? document.documentElement
    if (start !== null)
      readNode(start, {
        clip: screen,
        placed: screen,
        isSeen: true,
        hasPointer: false,
        background: "rgb(255, 255, 255)"
      })
    flush()
    const { scrollHeight } = document.documentElement ?? { scrollHeight: 0 }
    return {
      text: lines.join("\n").toWellFormed(),
      frames,
      next,
      url: location.href,
      title: plain(squash(document.title)).toWellFormed(),
      above: Math.round(scrollY),
      below: Math.max(0, Math.round(scrollHeight - scrollY - height)),
      height,
      elements,
      omitted,
      opaque: opaque.length,
      unknownFrames,
      captcha: Array.from(document.querySelectorAll(captchas)).some((one) => one.getBoundingClientRect().height >= 40),
      canvas
    }
  }

  return { read, opaqueElements: () => opaque }
}

export type Reading = ReturnType<typeof reading>
