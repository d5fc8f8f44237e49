import * as Context from "effect/Context"

/**
 * Whose records the engine makes and sees: the owner behind the API key of a request. `null` sees everything, and what
 * it makes has no owner.
 */
export const Owner: Context.Reference<string | null> = Context.Reference("@webagent/engine/Owner", {
  defaultValue: (): string | null => null
})
