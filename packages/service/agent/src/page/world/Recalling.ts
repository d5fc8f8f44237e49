import type { ShownElement } from "./Drafting.ts"
import type { Focusing } from "./Focusing.ts"
import type { Framing } from "./Framing.ts"
import type { Naming } from "./Naming.ts"
import type { Numbering } from "./Numbering.ts"
import type { Paths } from "./Paths.ts"
import type { Roles } from "./Roles.ts"
import type { Rows } from "./Rows.ts"
import type { Trees } from "./Trees.ts"
import type { Words } from "./Words.ts"

/** An element in its document, as a later run finds it again. */
export interface Remembered {
  readonly role: string
  readonly name: string
  readonly path: string
  /** The text that has to be around it. */
  readonly near: string
  /** The text closest to it. */
  readonly around: string
}

/** An element to find again. */
export type Sought = Omit<Remembered, "around">

/** An element that was found again. */
export interface Recalled extends ShownElement {
  /** The first number that is free now. */
  readonly next: number
  /** True if it isn't at its old place. */
  readonly isMoved: boolean
}

/** Describes elements so that they are found again in a later run. Runs in the page. */
export const recalling = (world: Words & Trees & Framing & Roles & Naming & Rows & Numbering & Focusing & Paths) => {
  const { all, atPath, cut, deepestFocus, digest, holds, isEditable, isFrame, isHidden, isItem, mustResolve } = world
  const { nameOf, numberOf, parentOf, pathOf, roleOf, shortName, shownRole, squash, textInside } = world
  const scrollArea = "scroll area"
  const levels_most = 12

  /** The elements that a person can't tell apart by role and name. */
  const alikeOf = (role: string, name: string): ReadonlyArray<Element> =>
    Array.from(all(document)).filter(
      (one) =>
        roleOf(one) === role &&
        // the text of an editor is its value
        (isEditable(one) || shortName(one) === name) &&
        (!isHidden(one) || one.matches("input[type=file]"))
    )

  /** Returns the elements around an element, from the inside. */
  const levelsOf = function* (element: Element): Generator<Element> {
    for (let at = parentOf(element), level = 0; at !== null && level < levels_most; at = parentOf(at), level++) {
      yield at
      if (at === document.body) return
    }
  }

  /** Reads the texts around elements, each once. */
  const surrounding = () => {
    const texts = new Map<Element, string>()
    const textOf = (element: Element): string => {
      const text = texts.get(element) ?? textInside(element)
      texts.set(element, text)
      return text
    }
    const hasMore = (outside: Element, element: Element) => textOf(outside).length > textOf(element).length + 1
    return {
      textOf,
      hasMore,
      /** The elements around one that have more text, from the inside. Texts take time, so none is read in advance. */
      outer: function* (element: Element): Generator<Element> {
        for (const one of levelsOf(element)) if (hasMore(one, element)) yield one
      },
      itemOf: (element: Element): Element | undefined => {
        for (const one of levelsOf(element)) if (isItem(one) && hasMore(one, element)) return one
        return undefined
      }
    }
  }

  /** Describes an element; null if nothing distinguishes it from others. */
  const describe = (element: Element): Remembered | null => {
    const role = roleOf(element)
    const name = shortName(element)
    const { hasMore, itemOf, outer, textOf } = surrounding()
    const alike = alikeOf(role, name)
    const others = alike.filter((one) => !holds(one, element) && !holds(element, one))
    const [closest] = outer(element)
    // where others are alike, the widest text tells it from them
    let own: Element | undefined
    for (const one of levelsOf(element)) {
      if (others.some((other) => holds(one, other))) break
      if (hasMore(one, element)) own = one
    }
    const must = others.length > 0 ? own : (itemOf(element) ?? (name === "" && !isEditable(element) ? closest : null))
    if (must === undefined) return null
    const near = must === null ? "" : textOf(must)
    return { role, name, path: pathOf(element), near, around: closest === undefined ? "" : textOf(closest) }
  }

  /** Describes the element with this number; null if nothing distinguishes it from others. */
  const remember = (number: number): Remembered | null => {
    const element = mustResolve(number)
    return shownRole(number) === scrollArea
      ? { role: scrollArea, name: shortName(element), path: pathOf(element), near: "", around: "" }
      : describe(element)
  }

  /** Describes the element that receives keys; null if it's the page itself or a frame. */
  const rememberFocused = (): Remembered | null => {
    const element = deepestFocus()
    const isNone = element === null || element === document.body || isFrame(element)
    return isNone ? null : describe(element)
  }

  /** The title without a count before it, and the main headings. */
  const heading = (): string => {
    const headings = Array.from(all(document)).filter((one) => one.localName === "h1" && !isHidden(one))
    return [squash(document.title).replace(/^[([]\d+\+?[)\]] */u, ""), ...headings.map(textInside)].join(" | ")
  }

  /** Leaves out elements that only wrap others. */
  const innermost = (elements: ReadonlyArray<Element>) =>
    elements.filter((one) => !elements.some((other) => other !== one && holds(one, other)))

  const match = ({ name, near, path, role }: Sought): Element | null => {
    const here = atPath(path)
    if (role === scrollArea) return here
    const { itemOf, outer, textOf } = surrounding()
    const alike = alikeOf(role, name)
    // a place alone is no proof: rows move, and toolbars get new buttons
    const fits = (one: Element) =>
      near === "" ? itemOf(one) === undefined : Array.from(outer(one)).some((each) => digest(textOf(each)) === near)
    const single = innermost(alike)
    const [only, ...others] = single.filter(fits)
    if (only === undefined || others.length > 0 || (near === "" && single.length > 1)) return null
    return here !== null && alike.includes(here) && holds(here, only) ? here : only
  }

  /** Finds an element of an earlier run again: at its place, or else by its role and name. */
  const recall = (remembered: Sought, next: number): Recalled | null => {
    const element = match(remembered)
    if (element === null) return null
    const name = nameOf(element)
    const number = numberOf(element, next, remembered.role, cut(name, 150))
    return {
      number,
      role: remembered.role,
      name: cut(name, 2000),
      url: location.href,
      next: Math.max(next, number + 1),
      isMoved: pathOf(element) !== remembered.path
    }
  }

  return { heading, remember, rememberFocused, recall, surrounding }
}

export type Recalling = ReturnType<typeof recalling>
