import type { Naming } from "./Naming.ts"
import type { Numbered, Numbering } from "./Numbering.ts"
import type { Roles } from "./Roles.ts"
import type { Rows } from "./Rows.ts"
import type { Words } from "./Words.ts"

/** Checks that numbers still mean the elements that the model saw. Runs in the page. */
export const confirming = (world: Words & Roles & Naming & Rows & Numbering) => {
  const { amend, currentLook, cut, entries, entryOf, isEditable, otherRowOf, quote, roleOf, shortName, squash } = world
  const { textInside } = world
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
    Array.from(entries()).some(([other, { name, ref, role }]) => {
      if (other === number || role !== entry.role) return false
      if (name === now) return true
      const element = ref.deref()
      return element?.isConnected === true && shortName(element) === entry.name
    })

  const letters = (name: string) => name.replaceAll(/[^\p{L}]+/gu, "")

  /**
   * Returns whether a text changes by itself, as a clock or a counter does: it ticks again while it's watched, and only
   * its digits differ.
   */
  const ticks = async (read: () => string, before: string): Promise<boolean> => {
    const now = read()
    if (letters(now) !== letters(before)) return false
    const began = performance.now()
    while (performance.now() - began < 1200) {
      await new Promise((resolve) => setTimeout(resolve, 40))
      const later = read()
      if (later !== now) return letters(later) === letters(now)
    }
    return false
  }

  /**
   * Returns whether a name ticks. "Buy (0:59)" that becomes "Buy (0:58)" and "Cancel 2" that becomes "Cancel 3" differ
   * alike, so the names alone can't distinguish a tick from a reused row. But rows pass their names on to each other. A
   * name that doesn't tick in time is treated as a reused row, because a refusal costs a step, but a wrong click can't be
   * undone.
   */
  const isTicking = (number: number, element: Element, entry: Numbered): Promise<boolean> | boolean =>
    !hasSwapped(number, entry, shortName(element)) && ticks(() => shortName(element), entry.name)

  /**
   * Checks that a number still means what the model saw: returns why not, once. An answer to the next look that names
   * the number again is carried out.
   */
  const confirm = async (number: number): Promise<string | null> => {
    const entry = entryOf(number)
    const element = entry?.ref.deref()
    if (entry === undefined || element?.isConnected !== true) return null
    const again = "Nothing was done. Use the number again if you still want this element."
    if (isUnchanged(element, entry)) {
      const row = otherRowOf(element, entry.row, false)
      return row === undefined
        ? null
        : `Element ${number} is in another row now, which reads ${quote(cut(textInside(row), 150))}. ${again}`
    }
    const { refusedAfter, ...others } = entry
    const isInsisting = refusedAfter !== undefined && currentLook() <= refusedAfter + 1
    if (!isInsisting && roleOf(element) === entry.role && (await isTicking(number, element, entry))) return null
    const role = roleOf(element)
    const name = shortName(element)
    if (isInsisting) {
      amend(number, { ...others, role, name })
      return null
    }
    amend(number, { ...entry, refusedAfter: currentLook() })
    return `Element ${number} is ${role} ${quote(name)} now. When you saw it, it was ${entry.role} ${quote(entry.name)}. ${again}`
  }

  /** Returns whether an element with a number is still as the model saw it. */
  const isAsShown = (number: number): boolean => {
    const entry = entryOf(number)
    const element = entry?.ref.deref()
    if (entry === undefined || element === undefined) return false
    return isUnchanged(element, entry) && otherRowOf(element, entry.row, false) === undefined
  }

  return { confirm, isAsShown, ticks }
}

export type Confirming = ReturnType<typeof confirming>
