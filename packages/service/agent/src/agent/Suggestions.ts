import type { Turn } from "@webagent/engine"

/** Collects suggestions for the caller's next run, one per category. They are made by rules. */
export const make = () => {
  const suggestions = new Map<string, string>()
  return {
    add: (category: string, message: string): void => void suggestions.set(category, message),
    all: (): Turn.TurnReport["suggestions"] =>
      suggestions.size === 0 ? null : Array.from(suggestions, ([category, message]) => ({ category, message }))
  }
}
