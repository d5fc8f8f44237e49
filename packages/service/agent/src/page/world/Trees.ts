/** Elements across shadow roots, those included that the page has closed. Runs in the page. */
export const trees = () => {
  const closedRoots = new WeakMap<Element, ShadowRoot>()
  const askedElements = new WeakSet<Element>()
  const frameIds = new WeakMap<Element, string>()
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

  const holds = (outer: Element, inner: Element | null): boolean => {
    let at: Node | null = inner
    while (at !== null && at !== outer) at = at.parentNode ?? (at instanceof ShadowRoot ? at.host : null)
    return at === outer
  }

  const isHidden = (element: Element): boolean => {
    const { height, width } = element.getBoundingClientRect()
    if (width < 2 || height < 2) return true
    const { display, visibility } = getComputedStyle(element)
    return visibility !== "visible" || display === "none"
  }

  const ownerOf = (id: string) => Array.from(all(document)).find((element) => frameIds.get(element) === id)

  return {
    rootOf,
    eachChild,
    all,
    textNodes,
    deepest,
    holds,
    isHidden,
    /** Returns whether an element may have a closed root that wasn't requested yet. It's true once per element. */
    isOpaque: (element: Element) => {
      if (askedElements.has(element)) return false
      askedElements.add(element)
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
    },
    frameIdOf: (element: Element) => frameIds.get(element),
    /** Tells which frame an element holds. */
    nameFrame: (element: Element, id: string) => void frameIds.set(element, id),
    ownerOf,
    /** Returns the origin of a frame's viewport in this one. */
    frameAt: (id: string) => {
      const element = ownerOf(id)
      if (element === undefined) return null
      const { x, y } = element.getBoundingClientRect()
      const { paddingLeft, paddingTop } = getComputedStyle(element)
      return {
        x: x + element.clientLeft + Number.parseFloat(paddingLeft),
        y: y + element.clientTop + Number.parseFloat(paddingTop)
      }
    }
  }
}

export type Trees = ReturnType<typeof trees>
