import type { Trees } from "./Trees.ts"

/** Finds the role of an element, and decides whether it's interactive. Runs in the page. */
export const roles = ({ isHidden }: Trees) => {
  const listening = new WeakSet<Element>()

  const ariaRoles = new Set(
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

  /** Returns the role of a label that is drawn in place of its checkbox or radio button. */
  const drawnRole = (element: Element): string | undefined => {
    const control = element instanceof HTMLLabelElement ? element.control : null
    return control instanceof HTMLInputElement && /^(?:checkbox|radio)$/u.test(control.type) && isHidden(control)
      ? control.type
      : undefined
  }

  const roleOf = (element: Element): string => {
    const role = element.getAttribute("role")
    if (role !== null && ariaRoles.has(role)) return role
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
        return isEditable(element) ? "editor" : (drawnRole(element) ?? "label")
      case "CANVAS":
        return "canvas"
    }
    if (isEditable(element)) return "editor"
    return element instanceof SVGElement ? `svg ${element.tagName.toLowerCase()}` : "clickable"
  }

  const isField = (element: Element) =>
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement

  const isInteractive = (element: Element, { cursor }: CSSStyleDeclaration, pointerAbove: boolean): boolean => {
    const tag = element.tagName
    if (element instanceof HTMLInputElement) return element.type !== "hidden"
    if (tag === "BUTTON" || tag === "SELECT" || tag === "TEXTAREA" || tag === "SUMMARY") return true
    if (tag === "A" && (element.hasAttribute("href") || cursor === "pointer")) return true
    const role = element.getAttribute("role")
    if (role !== null && ariaRoles.has(role)) return true
    // a page that listens as a whole is no control
    if (listening.has(element) || (element.hasAttribute("onclick") && tag !== "BODY")) return true
    const editable = element.getAttribute("contenteditable")
    if (editable !== null && editable !== "false") return true
    if (element instanceof HTMLElement && element.hasAttribute("tabindex") && element.tabIndex >= 0) return true
    if (element.getAttribute("draggable") === "true" && tag !== "IMG") return true
    if (element instanceof HTMLLabelElement) {
      const { control } = element
      const isFile = control instanceof HTMLInputElement && control.type === "file"
      return drawnRole(element) !== undefined || (isFile && isHidden(control))
    }
    return cursor === "pointer" && !pointerAbove
  }

  return {
    roleOf,
    isEditable,
    isField,
    isInteractive,
    isHeard: (element: Element) => listening.has(element),
    /** Remembers elements that listen to clicks, which nothing else gives away. */
    hear: (...elements: ReadonlyArray<Element>) => {
      for (const element of elements) {
        if (element !== document.body && element !== document.documentElement) listening.add(element)
      }
    }
  }
}

export type Roles = ReturnType<typeof roles>
