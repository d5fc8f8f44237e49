import type { Trees } from "./Trees.ts"

/** A point of a viewport, in CSS pixels. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** The frames in a document, and where they are. Runs in the page. */
export const framing = ({ outerOf }: Trees) => {
  const frameIds = new WeakMap<Element, string>()
  const frameOwners = new Map<string, WeakRef<HTMLElement>>()

  const ownerOf = (id: string): HTMLElement | undefined => {
    const owner = frameOwners.get(id)?.deref()
    return owner?.isConnected === true ? owner : undefined
  }

  const pointOf = (matrix: DOMMatrix, point: Point): Point => {
    const { x, y } = matrix.transformPoint(point)
    return { x, y }
  }

  /** Returns the part of an element's transforms that scales and turns, without moving. */
  const turnOf = (element: Element): DOMMatrix => {
    const { rotate, scale, transform } = getComputedStyle(element)
    const matrix = new DOMMatrix()
    if (/^[\d.-]+deg$/u.test(rotate)) matrix.rotateSelf(Number.parseFloat(rotate))
    if (scale !== "none") matrix.scaleSelf(...scale.split(" ").map(Number))
    return matrix.multiplySelf(new DOMMatrix(transform))
  }

  /** Returns the matrix from a frame's viewport to this one. The frame or an element around it may be scaled or turned. */
  const matrixOf = (id: string): DOMMatrix | undefined => {
    const owner = ownerOf(id)
    if (owner === undefined) return undefined
    const { height, width, x, y } = owner.getBoundingClientRect()
    const { paddingLeft, paddingTop } = getComputedStyle(owner)
    const turn = new DOMMatrix()
    for (let at: Node | null = owner; at !== null; at = outerOf(at)) {
      if (at instanceof Element) turn.preMultiplySelf(turnOf(at))
    }
    const { a, b, c, d } = turn
    const { clientLeft, clientTop, currentCSSZoom, offsetHeight, offsetWidth } = owner
    // its middle stays the middle of its box
    return new DOMMatrix([a, b, c, d, x + width / 2, y + height / 2])
      .scaleSelf(currentCSSZoom)
      .translateSelf(
        clientLeft + Number.parseFloat(paddingLeft) - offsetWidth / 2,
        clientTop + Number.parseFloat(paddingTop) - offsetHeight / 2
      )
  }

  return {
    isFrame: (element: Element) => /^(?:IFRAME|FRAME|EMBED|OBJECT)$/u.test(element.tagName),
    frameIdOf: (element: Element) => frameIds.get(element),
    /** Tells which frame an element holds. */
    nameFrame: (element: HTMLElement, id: string) => {
      frameIds.set(element, id)
      frameOwners.set(id, new WeakRef(element))
    },
    ownerOf,
    matrixOf,
    pointOf,
    /** Maps points of a frame's viewport to this one; null if the frame is gone. */
    outOfFrame: (id: string, points: ReadonlyArray<Point>): ReadonlyArray<Point> | null => {
      const matrix = matrixOf(id)
      return matrix === undefined ? null : points.map((point) => pointOf(matrix, point))
    }
  }
}

export type Framing = ReturnType<typeof framing>
