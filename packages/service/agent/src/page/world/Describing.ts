import type { Naming } from "./Naming.ts"
import type { Roles } from "./Roles.ts"
import type { Words } from "./Words.ts"

/** Describes an element's value, states and looks. Runs in the page. */
export const describing = ({ cut, isEditable, nameOf, plain, quote, squash, textInside }: Words & Roles & Naming) => {
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

  const inputValue = (input: HTMLInputElement): string => {
    const { max, min, type, value } = input
    if (type === "password") return value === "" ? "" : ' = "•••"'
    if (type === "file") {
      const names = Array.from(input.files ?? [], ({ name }) => name)
      return names.length === 0 ? "" : ` = ${quote(names.join(", "))}`
    }
    if (/^(?:checkbox|radio|button|submit|reset|image)$/u.test(type)) return ""
    const range = (type === "range" || type === "number") && `${min}${max}` !== "" ? ` ${min}..${max}` : ""
    return `${value === "" ? "" : ` = ${quote(cut(value, 120))}`}${range}${forms[type] ?? ""}`
  }

  const selectValue = (select: HTMLSelectElement): string => {
    const chosen = Array.from(select.selectedOptions, ({ text }) => squash(text)).join(", ")
    const shown = Array.from(select.options)
      .slice(0, options_most)
      .map(({ text }) => plain(cut(squash(text), 60)))
    const more = select.options.length - options_most
    return ` = ${quote(chosen)} of ${shown.join(" | ")}${more > 0 ? ` | … ${more} more` : ""}`
  }

  const rawValue = (element: Element): string => {
    if (element instanceof HTMLInputElement) return inputValue(element)
    if (element instanceof HTMLSelectElement) return selectValue(element)
    if (element instanceof HTMLTextAreaElement)
      return element.value === "" ? "" : ` = ${quote(cut(element.value, 300))}`
    if (isEditable(element) && element.hasAttribute("contenteditable")) {
      const text = textInside(element)
      return text === "" || text === nameOf(element) ? "" : ` = ${quote(cut(text, 300))}`
    }
    const now = element.getAttribute("aria-valuetext") ?? element.getAttribute("aria-valuenow")
    return now === null ? "" : ` = ${quote(squash(now))}`
  }

  const valueOf = (element: Element): string => rawValue(element).replaceAll("\n", String.raw`\n`)

  const aria = (element: Element, name: string) => element.getAttribute(`aria-${name}`)

  const isInput = (element: Element) => element instanceof HTMLInputElement

  const checkedOf = (element: Element) =>
    isInput(element) && /^(?:checkbox|radio)$/u.test(element.type) ? String(element.checked) : aria(element, "checked")

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

  return { isDisabled, valueOf, statesOf, looksOf }
}

export type Describing = ReturnType<typeof describing>
