import type { Describing } from "./Describing.ts"
import type { Numbering } from "./Numbering.ts"
import type { Roles } from "./Roles.ts"
import type { Words } from "./Words.ts"

/** The result of filling in a field, or the reason why it failed. */
export interface Outcome {
  readonly ok: boolean
  readonly text: string
}

/** Fields: focus, values, options. Runs in the page. */
export const filling = (world: Words & Roles & Describing & Numbering) => {
  const { isEditable, isField, mustResolve, quote, squash, valueOf } = world
  const isTextField = (element: Element) =>
    element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement

  const announce = (element: Element) => {
    element.dispatchEvent(new Event("input", { bubbles: true, composed: true }))
    element.dispatchEvent(new Event("change", { bubbles: true }))
  }

  const isToggle = (element: Element | null) =>
    element instanceof HTMLInputElement && /^(?:checkbox|radio)$/u.test(element.type)

  /** Puts the focus into a field, and selects what is in it or goes to its end. */
  const focus = (number: number, selects: boolean): void => {
    const element = mustResolve(number)
    if (element instanceof HTMLElement) element.focus()
    if (isTextField(element)) {
      if (selects) element.select()
      // fields for addresses and numbers have no selection to set
      else if (element.selectionStart !== null) element.setSelectionRange(element.value.length, element.value.length)
    } else if (isEditable(element)) {
      const range = document.createRange()
      range.selectNodeContents(element)
      if (!selects) range.collapse(false)
      const selection = getSelection()
      selection?.removeAllRanges()
      selection?.addRange(range)
    }
  }

  /**
   * Puts a secret into a field, or into what has the focus, of this document alone: keys would go wherever a frame of
   * another site has taken the focus to.
   */
  const insert = (number: number | null, text: string, selects: boolean, site: string): Outcome => {
    // the document may have been replaced since it was asked for
    if (origin !== site) return { ok: false, text: "The page is another one now: look at it." }
    if (number !== null) focus(number, selects)
    return document.execCommand("insertText", false, text)
      ? { ok: true, text: "Typed." }
      : { ok: false, text: "It takes no text: click the field first, then type into it by its number." }
  }

  /** Returns the value of a field or the text of an editor, and whether it's a password. */
  const textOf = (number: number): { readonly isPassword: boolean; readonly text: string | null } => {
    const element = mustResolve(number)
    if (isField(element)) return { isPassword: element.type === "password", text: element.value }
    const isEditor = isEditable(element) && element instanceof HTMLElement
    return { isPassword: false, text: isEditor ? squash(element.innerText) : null }
  }

  /** Sets what cannot be typed, such as a date, as the page's own control would. Returns the reason if it can't. */
  const setValue = (number: number, value: string): string | null => {
    const element = mustResolve(number)
    if (!(element instanceof HTMLInputElement)) return `Element ${number} takes no value.`
    const before = element.value
    element.focus()
    element.value = value
    if (element.value === value) {
      announce(element)
      return null
    }
    const form = valueOf(element)
      .replace(/^ = "[^"]*"/u, "")
      .trim()
    const took = element.value
    element.value = before
    return `It does not take ${quote(value)}${took === "" ? "" : ` (it would read ${quote(took)})`}. ${form === "" ? "Use another form." : `Use the form ${form}.`}`
  }

  const low = (text: string) => squash(text).toLowerCase()

  const textsOf = (all: Iterable<HTMLOptionElement>) => quote(Array.from(all, ({ text }) => squash(text)).join(", "))

  /** Returns the options that a select has now. */
  const chosen = (number: number): string | null => {
    const element = mustResolve(number)
    return element instanceof HTMLSelectElement ? textsOf(element.selectedOptions) : null
  }

  /** Chooses options of a select, and returns their texts. */
  const choose = (number: number, wanted: ReadonlyArray<string>): Outcome => {
    const element = mustResolve(number)
    if (!(element instanceof HTMLSelectElement)) {
      return { ok: false, text: `Element ${number} is not a select: click it, then click an option.` }
    }
    if (!element.multiple && wanted.length !== 1) return { ok: false, text: "This select takes one option." }
    const options = Array.from(element.options)
    const matches = wanted.map(
      (want) =>
        options.find(({ text }) => squash(text) === squash(want)) ??
        options.find(({ value }) => value === want) ??
        options.find(({ text }) => low(text) === low(want))
    )
    const missing = wanted.filter((_, at) => matches[at] === undefined)
    if (missing.length > 0) {
      const near = options
        .filter(({ text }) => missing.some((want) => low(text).includes(low(want).slice(0, 4))))
        .slice(0, 10)
        .map(({ text }) => quote(squash(text)))
      const hint = near.length > 0 ? `Similar: ${near.join(", ")}.` : `It has ${options.length} options.`
      return { ok: false, text: `It has no option ${missing.map(quote).join(", ")}. ${hint}` }
    }
    const disabled = matches.find((option) => option?.matches(":disabled"))
    if (disabled !== undefined) return { ok: false, text: `The option ${quote(squash(disabled.text))} is disabled.` }
    for (const option of options) {
      const isWanted = matches.includes(option)
      if (element.multiple || isWanted) option.selected = isWanted
    }
    const text = textsOf(options.filter((option) => matches.includes(option)))
    announce(element)
    return { ok: true, text }
  }

  const isChecked = (number: number): boolean | null => {
    const element = mustResolve(number)
    const control = element instanceof HTMLLabelElement ? element.control : element
    if (isToggle(control) && control instanceof HTMLInputElement) return control.checked
    const pressed = element.getAttribute("aria-checked") ?? element.getAttribute("aria-pressed")
    return pressed === null ? null : pressed === "true"
  }

  /** Returns whether a field takes more than one file. */
  const takesFiles = (number: number): boolean => mustResolve(number).matches("[multiple]")

  return { focus, insert, textOf, setValue, choose, chosen, isChecked, takesFiles }
}

export type Filling = ReturnType<typeof filling>
