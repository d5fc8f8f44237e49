import type { Naming } from "./Naming.ts"
import type { Roles } from "./Roles.ts"
import type { Trees } from "./Trees.ts"
import type { Words } from "./Words.ts"

/** An element as the model knows it by its number. */
interface Numbered {
  readonly ref: WeakRef<Element>
  readonly role: string
  readonly name: string
  /** Is true if the model saw the name. A container is shown without it. */
  readonly isNamed: boolean
  /** The look after which an action was refused because the element had changed. */
  readonly refusedAfter?: number
}

/** Numbers of elements: one for life, never given again. Runs in the page. */
export const numbering = ({
  all,
  cut,
  isEditable,
  isHidden,
  nameOf,
  quote,
  roleOf,
  squash
}: Words & Trees & Roles & Naming) => {
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

  /** Returns whether a field is named by its placeholder, which many search fields change every few seconds. */
  const isPlaceholder = (element: Element, name: string): boolean =>
    "placeholder" in element && cut(squash(String(element.placeholder)), 150) === name

  /** Returns whether an element still has the role and name that the model saw. */
  const isUnchanged = (element: Element, { isNamed, name, role }: Numbered): boolean => {
    // numbers of scroll areas are shown without the element's own role
    if (role === "scroll area") return true
    if (roleOf(element) !== role) return false
    // the text of an editor is its value
    if (!isNamed || isEditable(element)) return true
    const now = shortName(element)
    if (now === name || isPlaceholder(element, now)) return true
    // a hint of classes changes with the mouse
    return now.startsWith(".") && name.startsWith(".")
  }

  /** Returns whether another element has this one's old name, or had its new name. */
  const hasSwapped = (number: number, entry: Numbered, now: string): boolean =>
    Array.from(numbered).some(([other, { name, ref, role }]) => {
      if (other === number || role !== entry.role) return false
      if (name === now) return true
      const element = ref.deref()
      return element?.isConnected === true && shortName(element) === entry.name
    })

  const letters = (name: string) => name.replaceAll(/[^\p{L}]+/gu, "")

  /**
   * Returns whether a name changes by itself, as a clock or a counter does. "Buy (0:59)" that becomes "Buy (0:58)" and
   * "Cancel 2" that becomes "Cancel 3" differ alike, so the names alone can't distinguish a tick from a reused row. But
   * rows pass their names on to each other, and a clock ticks again while it's watched. A name that does neither in
   * time is treated as a reused row, because a refusal costs a step, but a wrong click can't be undone.
   */
  const ticks = async (number: number, element: Element, entry: Numbered): Promise<boolean> => {
    const now = shortName(element)
    if (letters(now) !== letters(entry.name) || hasSwapped(number, entry, now)) return false
    const began = performance.now()
    while (performance.now() - began < 1200) {
      await new Promise((resolve) => setTimeout(resolve, 40))
      const later = shortName(element)
      if (later !== now) return letters(later) === letters(now)
    }
    return false
  }

  /**
   * Checks that a number still means what the model saw: returns why not, once. An answer to the next look that names
   * the number again is carried out.
   */
  const confirm = async (number: number): Promise<string | null> => {
    const entry = numbered.get(number)
    const element = entry?.ref.deref()
    if (entry === undefined || element?.isConnected !== true || isUnchanged(element, entry)) return null
    const { refusedAfter, ...others } = entry
    const isInsisting = refusedAfter !== undefined && currentLook <= refusedAfter + 1
    if (!isInsisting && roleOf(element) === entry.role && (await ticks(number, element, entry))) return null
    const role = roleOf(element)
    const name = shortName(element)
    if (isInsisting) {
      numbered.set(number, { ...others, role, name })
      return null
    }
    numbered.set(number, { ...entry, refusedAfter: currentLook })
    return `Element ${number} is ${role} ${quote(name)} now. When you saw it, it was ${entry.role} ${quote(entry.name)}. Nothing was done. Use the number again if you still want this element.`
  }

  /** The element with this number, or the one that took its place when the page was drawn anew; else what to tell. */
  const resolve = (number: number): { readonly element: Element; readonly isHealed: boolean } | string => {
    const entry = numbered.get(number)
    if (entry === undefined) return `There is no element ${number} on this page. Use the numbers of the newest page.`
    const element = entry.ref.deref()
    if (element?.isConnected === true) return { element, isHealed: false }
    if (entry.name !== "") {
      const alike = Array.from(all(document)).filter(
        (one) => roleOf(one) === entry.role && shortName(one) === entry.name && !isHidden(one)
      )
      // what only wraps the element has its name, too
      const [only, ...others] = alike.filter((one) => !alike.some((other) => other !== one && one.contains(other)))
      if (only !== undefined && others.length === 0) {
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
    resolve,
    mustResolve,
    confirm,
    element: mustResolve,
    isNumbered: (number: number): boolean => numbered.get(number)?.ref.deref()?.isConnected === true,
    /** Returns the role with which the model saw an element. */
    shownRole: (number: number) => numbered.get(number)?.role,
    beginLook: (look: number) => void (currentLook = look)
  }
}

export type Numbering = ReturnType<typeof numbering>
