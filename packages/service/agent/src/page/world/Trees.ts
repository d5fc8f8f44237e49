/** Elements across shadow roots, those included that the page has closed. Runs in the page. */
export const trees = () => {
  const closedRoots = new WeakMap<Element, ShadowRoot>()
  /** Elements that were asked for a closed root, and whether they were defined by then. */
  const askedElements = new WeakMap<Element, boolean>()

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

  /** Returns the boxes of a node. One without a box of its own, as with `display: contents`, has those of its content. */
  const boxesOf = (node: Node): ReadonlyArray<DOMRect> => {
    const part = node instanceof Element ? node : document.createRange()
    if (part instanceof Range) part.selectNodeContents(node)
    const boxes = Array.from(part.getClientRects()).filter(isSized)
    if (boxes.length > 0 || !(part instanceof Element)) return boxes
    const isBare = /^(?:inline|contents)$/u.test(getComputedStyle(part).display)
    if (isBare) eachChild(part, (child) => void boxes.push(...boxesOf(child)))
    return boxes
  }

  /** Returns what has to scroll to show an element. What has no box doesn't scroll: its content does, or else what's around it. */
  const boxedFor = (element: Element): Element => {
    const isBoxed = (one: Element) => one.getClientRects().length > 0
    if (isBoxed(element)) return element
    const outer = closestOf(outerOf(element), "*")
    const inside = [element, rootOf(element) ?? element].flatMap((root) => Array.from(all(root)))
    return inside.find(isBoxed) ?? (outer === null ? element : boxedFor(outer))
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
    boxedFor,
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
    open: (host: Element, root: ShadowRoot) => void closedRoots.set(host, root)
  }
}

export type Trees = ReturnType<typeof trees>
