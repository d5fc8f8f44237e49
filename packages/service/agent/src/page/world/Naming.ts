import type { Roles } from "./Roles.ts"
import type { Words } from "./Words.ts"

/** Finds the name of an element. Runs in the page. */
export const naming = ({ cut, isEditable, isField, roleOf, squash }: Words & Roles) => {
  const textOfNode = (node: Node): string => (node instanceof HTMLElement ? node.innerText : (node.textContent ?? ""))

  /** The text that an element shows, with that of its slots. */
  const textInside = (element: Element): string => {
    const slots = element.getRootNode() instanceof ShadowRoot ? Array.from(element.querySelectorAll("slot")) : []
    const assigned = slots.flatMap((slot) => slot.assignedNodes({ flatten: true }))
    return squash([element, ...assigned].map(textOfNode).join(" "))
  }

  const attribute = (element: Element, name: string) => squash(element.getAttribute(name) ?? "")

  const labelledBy = (element: Element): string => {
    const ids = element.getAttribute("aria-labelledby")
    const root = element.getRootNode()
    if (ids === null || !(root instanceof Document || root instanceof ShadowRoot)) return ""
    return squash(
      ids
        .split(/\s+/u)
        .map((id) => root.getElementById(id)?.textContent ?? "")
        .join(" ")
    )
  }

  /** The text of a label without that of its own list of options. */
  const labelText = (label: HTMLLabelElement, control: Element): string =>
    Array.from(label.childNodes, (node) =>
      node === control || (node.contains(control) && control.tagName === "SELECT") ? "" : node.textContent
    ).join(" ")

  /** Text that only the style sheet has. */
  const generated = (element: Element): string =>
    [element, element.firstElementChild]
      .flatMap((one) =>
        one === null ? [] : ["::before", "::after"].map((part) => getComputedStyle(one, part).content)
      )
      .flatMap((content) => (/^"[\x20-\ud7ff]+"$/u.test(content) ? [content.slice(1, -1)] : []))
      .join(" ")

  /** Distinguishes an element without a name from others: by generated text, or by the words of its ids and classes. */
  const hintOf = (element: Element): string => {
    const inner = element.querySelector("img[alt],svg title,[aria-label],[title]")
    if (inner !== null) {
      const named =
        attribute(inner, "alt") ||
        attribute(inner, "aria-label") ||
        attribute(inner, "title") ||
        (inner.tagName === "title" ? squash(inner.textContent) : "")
      if (named !== "") return named
    }
    const drawn = squash(generated(element))
    if (drawn !== "") return drawn
    const ids = [element.id, element.getAttribute("name"), element.getAttribute("data-testid")]
    const classes = [...element.classList, ...(element.firstElementChild?.classList ?? [])]
    const hint = [...ids, ...classes].filter((one) => one !== null && one !== "").join(" ")
    return hint === "" ? "" : `.${cut(squash(hint), 60)}`
  }

  const fieldName = (field: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement): string => {
    const label = squash(Array.from(field.labels ?? [], (one) => labelText(one, field)).join(" "))
    if (label !== "") return label
    if (field instanceof HTMLInputElement && /^(?:button|submit|reset)$/u.test(field.type)) {
      return squash(field.value) || (field.type === "submit" ? "Submit" : field.type)
    }
    const hint = field.name || field.id
    return (
      ("placeholder" in field ? squash(field.placeholder) : "") ||
      squash(field.title) ||
      attribute(field, "alt") ||
      (hint === "" ? "" : `.${squash(hint)}`)
    )
  }

  const hasLetters = /\p{L}.*\p{L}/u

  /**
   * Returns the label for screen readers together with the text that people see, if that says something else. A label
   * such as "Close" must not hide that a button reads "Delete everything".
   */
  const nameWithText = (element: Element, label: string): string => {
    // their text is their value
    if (isField(element) || isEditable(element) || /^(?:combobox|listbox|slider|spinbutton)$/u.test(roleOf(element)))
      return label
    const text = textInside(element)
    const low = text.toLowerCase()
    if (text.length > 150 || !/[\p{L}\d]/u.test(text) || label.toLowerCase().includes(low)) return label
    if (low.includes(label.toLowerCase())) return text
    return hasLetters.test(text) ? `${text} (${label})` : `${label} (${text})`
  }

  const nameOf = (element: Element): string => {
    const label = labelledBy(element) || attribute(element, "aria-label")
    if (label !== "") return nameWithText(element, label)
    if (isField(element)) return fieldName(element)
    return textInside(element) || attribute(element, "alt") || attribute(element, "title") || hintOf(element)
  }

  return { nameOf, hintOf, textInside }
}

export type Naming = ReturnType<typeof naming>
