import type { Trees } from "./Trees.ts"
import type { Words } from "./Words.ts"

/** Finds the role and the name of an element. Runs in the page. */
export const naming = ({ cut, squash, isHidden }: Words & Trees) => {
  const heard = new WeakSet<Element>()

  const roles = new Set(
    "button link checkbox radio switch textbox searchbox combobox listbox option menuitem menuitemcheckbox menuitemradio tab treeitem slider spinbutton gridcell".split(
      " "
    )
  )
  const inputRoles: Readonly<Record<string, string>> = {
    button: "button",
    submit: "button",
    reset: "button",
    image: "button",
    checkbox: "checkbox",
    radio: "radio",
    range: "slider",
    number: "number",
    file: "file",
    search: "searchbox",
    date: "date",
    time: "time",
    month: "month",
    week: "week",
    "datetime-local": "datetime",
    color: "color",
    password: "password"
  }

  const isEditable = (element: Element) => element instanceof HTMLElement && element.isContentEditable

  const roleOf = (element: Element): string => {
    const said = element.getAttribute("role")
    if (said !== null && roles.has(said)) return said
    if (element instanceof HTMLInputElement) return inputRoles[element.type] ?? "textbox"
    switch (element.tagName) {
      case "A":
        return "link"
      case "BUTTON":
      case "SUMMARY":
        return "button"
      case "SELECT":
        return "select"
      case "TEXTAREA":
        return "textbox"
      case "OPTION":
        return "option"
      case "LABEL":
        return isEditable(element) ? "editor" : "label"
      case "CANVAS":
        return "canvas"
    }
    if (isEditable(element)) return "editor"
    return element instanceof SVGElement ? `svg ${element.tagName.toLowerCase()}` : "clickable"
  }

  const textInside = (element: Element): string =>
    squash(element instanceof HTMLElement ? element.innerText : (element.textContent ?? ""))

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

  const isField = (element: Element) =>
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement

  const nameOf = (element: Element): string => {
    const spoken = labelledBy(element) || attribute(element, "aria-label")
    if (spoken !== "") return spoken
    if (isField(element)) return fieldName(element)
    return textInside(element) || attribute(element, "alt") || attribute(element, "title") || hintOf(element)
  }

  const isInteractive = (element: Element, { cursor }: CSSStyleDeclaration, pointerAbove: boolean): boolean => {
    const tag = element.tagName
    if (element instanceof HTMLInputElement) return element.type !== "hidden"
    if (tag === "BUTTON" || tag === "SELECT" || tag === "TEXTAREA" || tag === "SUMMARY") return true
    if (tag === "A" && (element.hasAttribute("href") || cursor === "pointer")) return true
    const role = element.getAttribute("role")
    if (role !== null && roles.has(role)) return true
    if (heard.has(element) || element.hasAttribute("onclick")) return true
    const editable = element.getAttribute("contenteditable")
    if (editable !== null && editable !== "false") return true
    if (element instanceof HTMLElement && element.hasAttribute("tabindex") && element.tabIndex >= 0) return true
    if (element.getAttribute("draggable") === "true" && tag !== "IMG") return true
    if (element instanceof HTMLLabelElement) {
      const { control } = element
      const isDrawn = control instanceof HTMLInputElement && /^(?:checkbox|radio|file)$/u.test(control.type)
      return isDrawn && isHidden(control)
    }
    return cursor === "pointer" && !pointerAbove
  }

  return {
    roleOf,
    nameOf,
    hintOf,
    textInside,
    isEditable,
    isField,
    isInteractive,
    isHeard: (element: Element) => heard.has(element),
    /** Tells which elements listen to clicks: nothing else gives some of them away. */
    hear: (...elements: ReadonlyArray<Element>) => {
      for (const element of elements) {
        if (element !== document.body && element !== document.documentElement) heard.add(element)
      }
    }
  }
}

export type Naming = ReturnType<typeof naming>
