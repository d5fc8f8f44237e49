import type { Turn } from "@webagent/engine"

/** Collects suggestions for the caller's next run, one per category. They are made by rules. */
export const make = () => {
  const told = new Map<string, string>()
  return {
    add: (category: string, message: string): void => void told.set(category, message),
    all: (): Turn.TurnReport["suggestions"] =>
      told.size === 0 ? null : Array.from(told, ([category, message]) => ({ category, message }))
  }
}
