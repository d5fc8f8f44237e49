import { useEffect, useEffectEvent } from "react"
import { go } from "../state/place.ts"
import { letterKeys } from "../state/preferences.ts"
import { registry } from "../state/react.ts"
import { isShortcut } from "../ui/keyboard.ts"

interface Shortcuts {
  readonly onPalette: () => void
  readonly onHelp: () => void
  /** The address of a screen by the letter after `g`. */
  readonly addressOf: (letter: string) => string | undefined
}

/** Time between `g` and its letter. */
const pause_ms = 1500

/** The keys of the whole console: Ctrl-K, `?`, `/`, and `g` with a letter. */
export const useShortcuts = (shortcuts: Shortcuts): void => {
  const current = useEffectEvent(() => shortcuts)
  useEffect(() => {
    let g_ms = Number.NEGATIVE_INFINITY
    const press = (event: KeyboardEvent) => {
      const { addressOf, onHelp, onPalette } = current()
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault()
        return onPalette()
      }
      if (!isShortcut(event) || !registry.get(letterKeys)) return
      const to = event.timeStamp - g_ms < pause_ms ? addressOf(event.key) : undefined
      g_ms = event.key === "g" ? event.timeStamp : Number.NEGATIVE_INFINITY
      if (to !== undefined) {
        // a field of the new screen has the focus at once, and would get the letter
        event.preventDefault()
        return go(to)
      }
      if (event.key === "?") return onHelp()
      if (event.key === "/") {
        const field = document.querySelector<HTMLInputElement>("input[type=search]")
        if (field === null) return
        event.preventDefault()
        field.focus()
      }
    }
    window.addEventListener("keydown", press)
    return () => window.removeEventListener("keydown", press)
  }, [])
}
