import { letterKeys } from "../state/preferences.ts"
import { registry } from "../state/react.ts"
import { isShortcut } from "./keyboard.ts"

const moves: Readonly<Record<string, number>> = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }

/** Lets j, k and the arrows move the focus between the links of a list, which have the attribute `data-row`. An effect. */
export const rowKeys = (): (() => void) => {
  const press = (event: KeyboardEvent) => {
    const by = moves[event.key]
    if (by === undefined || !isShortcut(event)) return
    const isLetter = event.key.length === 1
    if (isLetter && !registry.get(letterKeys)) return
    const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")]
    const current = rows.findIndex((row) => row === document.activeElement)
    // the arrows scroll unless a row has the focus
    if (!isLetter && current === -1) return
    const next = rows[Math.min(rows.length - 1, Math.max(0, current + by))]
    if (next === undefined) return
    event.preventDefault()
    next.focus()
  }
  window.addEventListener("keydown", press)
  return () => window.removeEventListener("keydown", press)
}
