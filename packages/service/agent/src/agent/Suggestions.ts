import type { Turn } from "@webagent/engine"

/** What the caller can do better the next time, by rules: one for each category. */
export const make = () => {
  const told = new Map<string, string>()
  return {
    add: (category: string, message: string): void => void told.set(category, message),
    all: (): Turn.TurnReport["suggestions"] =>
      told.size === 0 ? null : Array.from(told, ([category, message]) => ({ category, message }))
  }
}
