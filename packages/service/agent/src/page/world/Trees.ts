/** Elements across shadow roots, those included that the page has closed. Runs in the page. */
export const trees = () => {
  const closedRoots = new WeakMap<Element, ShadowRoot>()
  /** Elements that were asked for a closed root, and whether they were defined by then. */
  const askedElements = new WeakMap<Element, boolean>()
  const attribute_most = 10_000
  const contents_most = 4_000_000

  const rootOf = (element: Element): ShadowRoot | undefined => element.shadowRoot ?? closedRoots.get(element)

  /** Visits the nodes that an element shows inside: those of its slot or shadow root in place of its own. */
  const eachChild = (element: Element, visit: (child: Node) => void): void => {
    const assigned = element instanceof HTMLSlotElement ? element.assignedNodes({ flatten: true }) : []
    if (assigned.length > 0) return assigned.forEach((child) => visit(child))
    for (let child = (rootOf(element) ?? element).firstChild; child !== null; child = child.nextSibling) visit(child)
  }

  const all = function* (root: Document | ShadowRoot | Element): Generator<Element> {
    for (const element of root.querySelectorAll("*")) {
      yield element
      const inside = rootOf(element)
      if (inside !== undefined) yield* all(inside)
    }
  }

  const textNodes = function* (root: Document | ShadowRoot | Element): Generator<Text> {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node instanceof Text) yield node
      else if (node instanceof Element) {
        const inside = rootOf(node)
        if (inside !== undefined) yield* textNodes(inside)
      }
    }
  }

  const deepest = (x: number, y: number): Element | null => {
    let top = document.elementFromPoint(x, y)
    for (;;) {
      const inside = top === null ? null : (rootOf(top)?.elementFromPoint(x, y) ?? null)
      if (inside === null || inside === top) return top
      top = inside
    }
  }

  /** Returns the node around a node as it's drawn: the slot that shows it, its parent, or the host of its root. */
  const outerOf = (node: Node): Node | null => {
    const { parentNode: parent } = node
    if (parent === null) return node instanceof ShadowRoot ? node.host : null
    const root = parent instanceof Element ? rootOf(parent) : undefined
    const slots: ReadonlyArray<HTMLSlotElement> = root === undefined ? [] : Array.from(root.querySelectorAll("slot"))
    return slots.find((slot) => slot.assignedNodes().some((one) => one === node)) ?? parent
  }

  /** Returns the innermost element with a selector around a node, or the node itself. */
  const closestOf = (node: Node | null, selector: string): Element | null => {
    let at = node
    while (at !== null && !(at instanceof Element && at.matches(selector))) at = outerOf(at)
    return at
  }

  const holds = (outer: Element, inner: Element | null): boolean => {
    let at: Node | null = inner
    while (at !== null && at !== outer) at = outerOf(at)
    return at === outer
  }

  const isSized = ({ height, width }: DOMRect) => width > 0 && height > 0

  /** Returns the boxes of an element. One without a box of its own, as with `display: contents`, has those of its content. */
  const boxesOf = (element: Element): ReadonlyArray<DOMRect> => {
    const own = Array.from(element.getClientRects()).filter(isSized)
    if (own.length > 0 || !/^(?:inline|contents)$/u.test(getComputedStyle(element).display)) return own
    const range = document.createRange()
    range.selectNodeContents(element)
    return Array.from(range.getClientRects()).filter(isSized)
  }

  const isHidden = (element: Element): boolean => {
    const { height, width } = element.getBoundingClientRect()
    const { display, visibility } = getComputedStyle(element)
    if (visibility !== "visible" || display === "none") return true
    return (width < 2 || height < 2) && (display !== "contents" || boxesOf(element).length === 0)
  }

  /** Returns the modal dialog in front, even if it's in a shadow root. Its backdrop is all over the page. */
  const modalInFront = (): Element | undefined =>
    closestOf(deepest(innerWidth / 2, innerHeight / 2), "dialog:modal") ??
    Array.from(document.querySelectorAll("dialog:modal")).at(-1)

  /** Returns whether a dialog or `inert` keeps people from an element. */
  const isBlocked = (element: Element): boolean => {
    const modal = modalInFront()
    return closestOf(element, "[inert]") !== null || (modal !== undefined && !holds(modal, element))
  }

  return {
    rootOf,
    eachChild,
    all,
    textNodes,
    deepest,
    outerOf,
    closestOf,
    holds,
    isHidden,
    boxesOf,
    modalInFront,
    isBlocked,
    /**
     * Returns whether an element may have a closed root that wasn't requested yet. It's true once per element, and once
     * more after a page has defined a custom element.
     */
    isOpaque: (element: Element) => {
      const isDefined = element.matches(":defined")
      if (askedElements.get(element) === isDefined) return false
      askedElements.set(element, isDefined)
      return true
    },
    /** Makes a closed root readable. */
    open: (host: Element, root: ShadowRoot) => void closedRoots.set(host, root),
    /**
     * Finds out whether a password is filled in and whether there is a canvas. On request, it also returns all texts,
     * visible or not, or `null` if they are too long.
     */
    contents: (
      hasTexts: boolean
    ): { readonly hasPassword: boolean; readonly draws: boolean; readonly texts: string | null } => {
      const texts: Array<string> = []
      const take = (root: Document | ShadowRoot) =>
        void texts.push((root instanceof Document ? root.documentElement?.textContent : root.textContent) ?? "")
      let hasPassword = false
      let draws = false
      if (hasTexts) take(document)
      for (const element of all(document)) {
        const isInput = element instanceof HTMLInputElement
        if (isInput && element.type === "password" && element.value !== "") hasPassword = true
        if (element instanceof HTMLCanvasElement && element.width * element.height > 0) draws = true
        if (!hasTexts) continue
        const inside = rootOf(element)
        if (inside !== undefined) take(inside)
        if (isInput || element instanceof HTMLTextAreaElement) texts.push(element.value)
        // styles can show them; longer ones are pictures
        for (const { value } of element.attributes) if (value.length <= attribute_most) texts.push(value)
      }
      const all_length = texts.reduce((sum, { length }) => sum + length, 0)
      return { hasPassword, draws, texts: all_length > contents_most ? null : texts.join("\n").toWellFormed() }
    }
  }
}

export type Trees = ReturnType<typeof trees>
