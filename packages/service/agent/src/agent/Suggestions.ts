import type { Turn } from "@webagent/engine"

/** Adds suggestions about settings of the model that a run can't have. */
export const addAboutSettings = (
  { add }: Pick<ReturnType<typeof make>, "add">,
  ignored: ReadonlyArray<string>,
  unknownLevel: string | undefined
): void => {
  if (ignored.length > 0) {
    add("modelParams", `modelParams cannot set ${ignored.join(", ")}: the agent does. Leave them out.`)
  }
  if (unknownLevel !== undefined) {
    add("thinkingLevel", `The thinkingLevel "${unknownLevel}" is unknown and was left out.`)
  }
}

/** Collects suggestions for the caller's next run, one per category. They are made by rules. */
export const make = () => {
  const suggestions = new Map<string, string>()
  return {
    add: (category: string, message: string): void => void suggestions.set(category, message),
    all: (): Turn.TurnReport["suggestions"] =>
      suggestions.size === 0 ? null : Array.from(suggestions, ([category, message]) => ({ category, message }))
  }
}
