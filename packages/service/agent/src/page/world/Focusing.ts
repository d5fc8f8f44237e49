import type { Filling } from "./Filling.ts"
import type { Framing } from "./Framing.ts"
import type { Naming } from "./Naming.ts"
import type { Roles } from "./Roles.ts"
import type { Numbering } from "./Numbering.ts"
import type { Trees } from "./Trees.ts"
import type { Words } from "./Words.ts"

/** The element of a document that receives keys. */
export interface Focused {
  readonly takesText: boolean
  /** Role and name, for the model. */
  readonly label: string
  /** Its relation to the element that the text is for. */
  readonly relation: "same" | "related" | "unrelated"
  /** Is true if it had the focus before the click. */
  readonly hadFocus: boolean
  /** The id of the frame that has the focus, if the document gave it to one. */
  readonly frame: string | undefined
}

/** Options for the element that receives keys. */
export interface HowFocused {
  readonly focuses: boolean
  readonly guards: boolean
  readonly selects: boolean
}

/** Which element receives keys. Runs in the page. */
export const focusing = (world: Words & Trees & Framing & Roles & Naming & Numbering & Filling) => {
  const { cut, focus, frameIdOf, holds, isEditable, isFrame, mustResolve, nameOf, quote, roleOf, rootOf } = world
  const { textOf } = world
  const isTextField = (element: Element) =>
    element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement

  const labelOf = (element: Element) => `${roleOf(element)} ${quote(cut(nameOf(element), 60))}`

  /** Returns whether an element takes typed text. */
  const takesText = (element: Element): boolean => {
    if (element.ownerDocument.designMode === "on" || isEditable(element)) return true
    return isTextField(element)
      ? !element.matches(
          ":disabled,[readonly],[type=button],[type=submit],[type=reset],[type=image],[type=checkbox],[type=radio],[type=file],[type=range],[type=color]"
        )
      : false
  }

  const deepestFocus = (): Element | null => {
    let at = document.activeElement
    for (;;) {
      const inside = at === null ? null : (rootOf(at)?.activeElement ?? null)
      if (inside === null) return at
      at = inside
    }
  }

  let endKeys = (): string | null => null

  /** Keeps keys from the page as soon as the focus leaves the fields: they would be commands there. */
  const guardKeys = (first: Element) => {
    endKeys()
    let field = first
    let lostTo: string | null = null
    let frame: HTMLElement | null = null
    let leftFor = ""
    let leaves = 0
    const listen = (event: Event) => {
      if (event.type === "keydown") {
        const at = deepestFocus()
        leaves = 0
        // a code moves on with each digit
        if (at !== null && takesText(at) && leftFor === "") field = at
        else lostTo ??= leftFor || (at === null || at === document.body ? "the page" : labelOf(at))
      }
      if (lostTo === null) return
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    // another document would get the rest of the keys
    const leave = () => {
      const at = deepestFocus()
      frame = at instanceof HTMLElement && isFrame(at) ? at : null
      // the document of a field keeps its element when the focus goes to a frame next to it or to the page around it
      if (frame === null && document.hasFocus()) return
      leftFor = frame === null ? "another document" : "a frame"
      leaves++
      const regain = () => {
        if (leaves !== 1 || leftFor === "" || !(field instanceof HTMLElement)) return
        // the focus of an element alone takes it from no document in another process
        window.focus()
        field.focus({ preventScroll: true })
      }
      // once the page is done with it, which may also have given it back
      queueMicrotask(() => {
        const now = deepestFocus()
        // a field that gives the focus away each time doesn't get it again
        if (now === null || !takesText(now) || !document.hasFocus()) return leaves > 1 ? frame?.blur() : regain()
        leftFor = ""
        frame = null
      })
      // once the browser is done with it, which takes longer between two processes
      for (const wait of [0, 20, 100]) setTimeout(regain, wait)
    }
    const types = ["keydown", "keypress", "keyup"]
    for (const type of types) addEventListener(type, listen, true)
    addEventListener("blur", leave)
    endKeys = () => {
      for (const type of types) removeEventListener(type, listen, true)
      removeEventListener("blur", leave)
      leaves = 0
      if (lostTo === null) frame?.focus({ preventScroll: true })
      return lostTo
    }
  }

  /** Ends the guard of keys, and returns what had the focus in place of a field, once. */
  const takeLost = (): string | null => {
    const lostTo = endKeys()
    endKeys = () => null
    return lostTo
  }

  let focusBefore: { readonly token: number; readonly element: Element | null } | undefined

  /** Remembers which element has the focus before a click, and returns the frame that has it, if any. */
  const rememberFocus = (token: number): string | undefined => {
    const element = deepestFocus()
    focusBefore = { token, element }
    return element === null ? undefined : frameIdOf(element)
  }

  /** Describes the element that has the focus. It may get the focus before, have its text selected, and guard its keys. */
  const focused = (number: number | null, token: number, { focuses, guards, selects }: HowFocused): Focused => {
    if (focuses && number !== null) focus(number, selects)
    const element = deepestFocus()
    const target = number === null ? undefined : mustResolve(number)
    if (element === null) {
      return { takesText: false, label: "the page", relation: "unrelated", hadFocus: false, frame: undefined }
    }
    const isLabeled = target instanceof HTMLLabelElement && target.control === element
    const isRelated = target !== undefined && (isLabeled || holds(target, element) || holds(element, target))
    const isText = takesText(element)
    if (guards && isText) guardKeys(element)
    if (selects && !focuses && isText && isTextField(element)) element.select()
    return {
      takesText: isText,
      label: element === document.body ? "the page" : labelOf(element),
      relation: element === target ? "same" : isRelated && element !== document.body ? "related" : "unrelated",
      hadFocus: focusBefore?.token === token && focusBefore.element === element,
      frame: frameIdOf(element)
    }
  }

  const takesNoText = /^(?:button|link|checkbox|radio|switch|tab|option|menuitem.*|treeitem|slider)$/u

  /** Returns why an element can't be typed into, before anything is done to it. */
  const whyNotText = (number: number, element: Element): string | null => {
    if (element.matches("input[readonly],textarea[readonly]")) {
      return `Element ${number} is read-only. Click it and choose a value on the page.`
    }
    const isText = isEditable(element) || element.matches("input[type=range]")
    return takesNoText.test(roleOf(element)) && !isText
      ? `Element ${number} is ${labelOf(element)}, not a field. It was not clicked, and nothing was typed. Click it if you want that, or type into a field by its number.`
      : null
  }

  /** Reads an element before a text is typed into it. */
  const fieldOf = (number: number) => ({ why: whyNotText(number, mustResolve(number)), ...textOf(number) })

  /** Returns whether an element has the role of a field. */
  const isNamedField = (number: number): boolean =>
    /^(?:textbox|searchbox|combobox|spinbutton|label)$/u.test(roleOf(mustResolve(number)))

  return { deepestFocus, rememberFocus, focused, fieldOf, isNamedField, endKeys: takeLost }
}

export type Focusing = ReturnType<typeof focusing>
