import * as Context from "effect/Context"

/**
 * Which create a request is, for ids and faults that do not depend on what else goes on: a hash of what it asks
 * for, and how many with that hash came before.
 */
export interface CreateKey {
  readonly hash: string
  readonly ordinal: number
}

/** The create that is being served. Where it is `undefined`, new ids are counted. */
export const CreateKey: Context.Reference<CreateKey | undefined> = Context.Reference("@webagent/simulation/CreateKey", {
  defaultValue: (): CreateKey | undefined => undefined
})
