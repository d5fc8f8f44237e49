import type { Confirming } from "./Confirming.ts"
import type { Focusing } from "./Focusing.ts"
import type { Point } from "./Framing.ts"
import type { Numbering } from "./Numbering.ts"
import type { Recalling } from "./Recalling.ts"
import type { Roles } from "./Roles.ts"
import type { Trees } from "./Trees.ts"
import type { Words } from "./Words.ts"

/** The target of a call: an element by its number, a point, or whatever receives keys. */
export type Named = number | Point | null

/** Tells whether a page changes what a call is about while a person is asked about it. Runs in the page. */
export const holding = (world: Words & Trees & Roles & Numbering & Confirming & Focusing & Recalling) => {
  const { cut, deepest, deepestFocus, quote, resolve, roleOf, shortName, surrounding, ticks } = world
  /** Elements as they were when a person was asked about a call, by what the call names. */
  const held = new Map<string, { readonly element: WeakRef<Element> | null; readonly sign: string }>()

  /** Returns the element with a number, at a point, or without either the one that receives keys. */
  const elementFor = (what: Named): Element | null => {
    if (typeof what !== "number") return what === null ? deepestFocus() : deepest(what.x, what.y)
    const target = resolve(what)
    return typeof target === "string" ? null : target.element
  }

  /** Role, name and the text that tells what an element is about. A text that is long has other things as well. */
  const signOf = (element: Element | null): string => {
    if (element === null) return "nothing"
    const { itemOf, outer, textOf } = surrounding()
    const item = itemOf(element)
    const [closest] = outer(element)
    const text = textOf(item ?? closest ?? element)
    const near = item !== undefined || text.length <= 300 ? ` in ${quote(cut(text, 300))}` : ""
    return `${roleOf(element)} ${quote(shortName(element))}${near}`
  }

  /** Remembers the element that a call names. */
  const hold = (what: Named) => {
    const element = elementFor(what)
    held.set(JSON.stringify(what), { element: element && new WeakRef(element), sign: signOf(element) })
  }

  /** Returns what an element was when it was remembered, if the call would act on something else now. */
  const heldBefore = async (what: Named, now: Named): Promise<string | null> => {
    const before = held.get(JSON.stringify(what))
    const element = elementFor(now)
    const sign = () => signOf(elementFor(now))
    const isSame =
      before !== undefined &&
      (before.sign === sign() || (element === before.element?.deref() && (await ticks(sign, before.sign))))
    return isSame ? null : (before?.sign ?? "something else")
  }

  return { hold, heldBefore }
}

export type Holding = ReturnType<typeof holding>
