import type { Naming } from "./Naming.ts"
import type { Roles } from "./Roles.ts"
import type { Row, Rows } from "./Rows.ts"
import type { Trees } from "./Trees.ts"
import type { Words } from "./Words.ts"

/** An element as the model knows it by its number. */
export interface Numbered {
  readonly ref: WeakRef<Element>
  readonly role: string
  readonly name: string
  /** Is true if the model saw the name. A container is shown without it. */
  readonly isNamed: boolean
  readonly row?: Row | undefined
  /** The look after which an action was refused because the element had changed. */
  readonly refusedAfter?: number
}

/** Numbers of elements: one for life, never given again. Runs in the page. */
export const numbering = (world: Words & Trees & Roles & Naming & Rows) => {
  const { all, cut, isHidden, isInteractive, nameOf, otherRowOf, quote, roleOf, rowsOf, wordsReader } = world
  const numbers = new WeakMap<Element, number>()
  const numbered = new Map<number, Numbered>()
  let currentLook = 0

  const shortName = (element: Element) => cut(nameOf(element), 150)

  /** The number of an element, which is `next` where it has none yet. */
  const numberOf = (element: Element, next: number, role: string, name: string, isNamed = true): number => {
    const number = numbers.get(element) ?? next
    const previous = numbered.get(number)
    if (previous === undefined) numbers.set(element, number)
    numbered.set(number, { ...previous, ref: previous?.ref ?? new WeakRef(element), role, name, isNamed })
    return number
  }

  /** Remembers the rows of the elements that a look shows. */
  const rememberRows = (shown: ReadonlyArray<number>) => {
    const entries = shown.flatMap((number) => {
      const entry = numbered.get(number)
      const element = entry?.ref.deref()
      return entry === undefined || element === undefined ? [] : [{ element, entry, number }]
    })
    const wordsIn = wordsReader()
    for (const alike of Map.groupBy(entries, ({ entry: { name, role } }) => `${role} ${name}`).values()) {
      const all = rowsOf(
        alike.map(({ element }) => element),
        wordsIn
      )
      for (const [at, { entry, number }] of alike.entries()) numbered.set(number, { ...entry, row: all[at] })
    }
  }

  /** Returns whether an element can be used. Each text that is in no other element has the role `clickable`. */
  const acts = (element: Element) =>
    roleOf(element) !== "clickable" || isInteractive(element, getComputedStyle(element), false)

  /** The element with this number, or the one that took its place when the page was drawn anew; else what to tell. */
  const resolve = (number: number): { readonly element: Element; readonly isHealed: boolean } | string => {
    const entry = numbered.get(number)
    if (entry === undefined) return `There is no element ${number} on this page. Use the numbers of the newest page.`
    const element = entry.ref.deref()
    if (element?.isConnected === true) return { element, isHealed: false }
    if (entry.name !== "") {
      const alike = Array.from(all(document)).filter(
        (one) => roleOf(one) === entry.role && shortName(one) === entry.name && !isHidden(one) && acts(one)
      )
      // what only wraps the element has its name, too
      const [only, ...others] = alike.filter((one) => !alike.some((other) => other !== one && one.contains(other)))
      if (only !== undefined && others.length === 0 && otherRowOf(only, entry.row, true) === undefined) {
        numbers.set(only, number)
        numbered.set(number, { ...entry, ref: new WeakRef(only) })
        return { element: only, isHealed: true }
      }
    }
    return `Element ${number} (${entry.role} ${quote(entry.name)}) is not on the page any more. Look at the newest page.`
  }

  const mustResolve = (number: number): Element => {
    const target = resolve(number)
    if (typeof target === "string") throw new Error(target)
    return target.element
  }

  return {
    numberOf,
    rememberRows,
    shortName,
    entries: (): Iterable<readonly [number, Numbered]> => numbered,
    entryOf: (number: number): Numbered | undefined => numbered.get(number),
    amend: (number: number, entry: Numbered) => void numbered.set(number, entry),
    currentLook: () => currentLook,
    resolve,
    mustResolve,
    element: mustResolve,
    isNumbered: (number: number): boolean => numbered.get(number)?.ref.deref()?.isConnected === true,
    /** Returns the role with which the model saw an element. */
    shownRole: (number: number) => numbered.get(number)?.role,
    beginLook: (look: number) => void (currentLook = look)
  }
}

export type Numbering = ReturnType<typeof numbering>
