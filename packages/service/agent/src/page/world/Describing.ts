import type { Naming } from "./Naming.ts"
import type { Roles } from "./Roles.ts"
import type { Words } from "./Words.ts"

/** Describes an element's value, states and looks. Runs in the page. */
export const describing = (world: Words & Roles & Naming) => {
  const { cut, isEditable, kept, nameOf, plain, quote, roleOf, squash, textInside } = world
  const options_most = 25

  const isDisabled = (element: Element) =>
    element.matches(":disabled") || element.getAttribute("aria-disabled") === "true"

  const forms: Readonly<Record<string, string>> = {
    date: " YYYY-MM-DD",
    time: " HH:MM",
    month: " YYYY-MM",
    week: " YYYY-Www",
    "datetime-local": " YYYY-MM-DDTHH:MM"
  }

  /** Returns the beginning of a value. `read` with the element's number has the rest. */
  const shortValue = (value: string, most: number): string =>
    `${quote(cut(value, most))}${value.length > most ? ` (${value.length} characters)` : ""}`

  const inputValue = (input: HTMLInputElement): string => {
    const { max, min, type, value } = input
    if (type === "password") return value === "" ? "" : ' = "•••"'
    if (type === "file") {
      const names = Array.from(input.files ?? [], ({ name }) => name)
      return names.length === 0 ? "" : ` = ${quote(names.join(", "))}`
    }
    if (/^(?:checkbox|radio|button|submit|reset|image)$/u.test(type)) return ""
    const range = (type === "range" || type === "number") && `${min}${max}` !== "" ? ` ${min}..${max}` : ""
    return `${value === "" ? "" : ` = ${shortValue(value, 120)}`}${range}${forms[type] ?? ""}`
  }

  const selectValue = (select: HTMLSelectElement): string => {
    const chosen = Array.from(select.selectedOptions, ({ text }) => squash(text)).join(", ")
    const shown = Array.from(select.options)
      .slice(0, options_most)
      .map(({ text }) => plain(cut(squash(text), 60)))
    const more = select.options.length - options_most
    return ` = ${quote(chosen)} of ${shown.join(" | ")}${more > 0 ? ` | … ${more} more` : ""}`
  }

  const innerTextOf = (element: Element) => (element instanceof HTMLElement ? element.innerText : "")

  const rawValue = (element: Element): string => {
    if (element instanceof HTMLInputElement) return inputValue(element)
    if (element instanceof HTMLSelectElement) return selectValue(element)
    if (element instanceof HTMLTextAreaElement)
      return element.value === "" ? "" : ` = ${shortValue(element.value, 300)}`
    if (isEditable(element) && element.hasAttribute("contenteditable")) {
      const text = textInside(element)
      const lines = kept(innerTextOf(element))
        .replace(/(\S)[^\S\n]+/gu, "$1 ")
        .trim()
      return text === "" || text === nameOf(element) ? "" : ` = ${shortValue(lines, 300)}`
    }
    const now = element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow")
    if (now !== null) return ` = ${quote(squash(now))}`
    const text = roleOf(element) === "combobox" && element.childElementCount === 0 ? textInside(element) : ""
    return text === "" || text === nameOf(element) ? "" : ` = ${quote(cut(text, 120))}`
  }

  const valueOf = (element: Element): string => rawValue(element).replaceAll("\n", String.raw`\n`)

  const aria = (element: Element, name: string) => element.getAttribute(`aria-${name}`)

  const checkedOf = (element: Element) => {
    const control = element instanceof HTMLLabelElement ? element.control : element
    const isToggle = control instanceof HTMLInputElement && /^(?:checkbox|radio)$/u.test(control.type)
    return isToggle ? String(control.checked) : aria(element, "checked")
  }

  const expandedOf = (element: Element) =>
    element.tagName === "SUMMARY" && element.parentElement instanceof HTMLDetailsElement
      ? String(element.parentElement.open)
      : aria(element, "expanded")

  const isSelected = (element: Element) =>
    aria(element, "selected") === "true" || (element instanceof HTMLOptionElement && element.selected)

  const statesOf = (element: Element, isFocused: boolean): string => {
    const checked = checkedOf(element)
    const expanded = expandedOf(element)
    const states = [
      checked === "true" ? "checked" : checked === "mixed" ? "half-checked" : "",
      isSelected(element) ? "selected" : "",
      aria(element, "pressed") === "true" ? "pressed" : "",
      expanded === null ? "" : expanded === "true" ? "expanded" : "collapsed",
      isDisabled(element) ? "disabled" : "",
      element.matches(
        "input:read-only:not([type=checkbox],[type=radio],:disabled),textarea:read-only:not(:disabled)"
      ) && element.hasAttribute("readonly")
        ? "readonly"
        : "",
      element.matches(":required") ? "required" : "",
      aria(element, "invalid") === "true" ? "invalid" : "",
      isFocused ? "focused" : ""
    ]
    return states.filter((state) => state !== "").reduce((text, state) => `${text} ${state}`, "")
  }

  /** Colour, size and place: all that tells a shape without a name from others. */
  const looksOf = (element: Element, { height, width, x, y }: DOMRect): string => {
    const { backgroundColor, fill } = getComputedStyle(element)
    const colour = element instanceof SVGElement ? fill : backgroundColor
    const isDrawn = colour !== "" && colour !== "none" && colour !== "rgba(0, 0, 0, 0)"
    const box = `${Math.round(width)}x${Math.round(height)} at ${Math.round(x)},${Math.round(y)}`
    return isDrawn ? ` ${colour.replaceAll(", ", ",")} ${box}` : ` ${box}`
  }

  /** Returns all of an element's text: of a field its value, of a select its options. */
  const wholeOf = (element: Element): string => {
    if (element instanceof HTMLInputElement && element.type === "password") throw new Error("A password can't be read.")
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return kept(element.value)
    if (!(element instanceof HTMLSelectElement)) return kept(innerTextOf(element) || (element.textContent ?? ""))
    return Array.from(
      element.options,
      ({ disabled, selected, text }) =>
        `${selected ? "* " : "- "}${plain(squash(text))}${disabled ? " (disabled)" : ""}`
    ).join("\n")
  }

  return { isDisabled, valueOf, statesOf, looksOf, wholeOf }
}

export type Describing = ReturnType<typeof describing>
