import type { Naming } from "./Naming.ts"
import type { Trees } from "./Trees.ts"
import type { Words } from "./Words.ts"

/** Numbers of elements: one for life, never given again. Runs in the page. */
export const numbering = ({ all, cut, isHidden, nameOf, quote, roleOf }: Words & Trees & Naming) => {
  const numbers = new WeakMap<Element, number>()
  const numbered = new Map<number, { readonly ref: WeakRef<Element>; readonly role: string; readonly name: string }>()

  /** The number of an element, which is `next` where it has none yet. */
  const numberOf = (element: Element, next: number, role: string, name: string): number => {
    const number = numbers.get(element) ?? next
    const known = numbered.get(number)
    if (known === undefined) {
      numbers.set(element, number)
      numbered.set(number, { ref: new WeakRef(element), role, name })
    } else if (known.name !== name) numbered.set(number, { ref: known.ref, role, name })
    return number
  }

  /** The element with this number, or the one that took its place when the page was drawn anew; else what to tell. */
  const resolve = (number: number): { readonly element: Element; readonly isHealed: boolean } | string => {
    const known = numbered.get(number)
    if (known === undefined) return `There is no element ${number} on this page. Use the numbers of the newest page.`
    const element = known.ref.deref()
    if (element?.isConnected === true) return { element, isHealed: false }
    if (known.name !== "") {
      const alike = Array.from(all(document)).filter(
        (one) => roleOf(one) === known.role && cut(nameOf(one), 150) === known.name && !isHidden(one)
      )
      const [only] = alike
      if (only !== undefined && alike.length === 1) {
        numbers.set(only, number)
        numbered.set(number, { ...known, ref: new WeakRef(only) })
        return { element: only, isHealed: true }
      }
    }
    return `Element ${number} (${known.role} ${quote(known.name)}) is not on the page any more. Look at the newest page.`
  }

  const mustResolve = (number: number): Element => {
    const found = resolve(number)
    if (typeof found === "string") throw new Error(found)
    return found.element
  }

  return { numberOf, resolve, mustResolve, element: mustResolve }
}

export type Numbering = ReturnType<typeof numbering>
