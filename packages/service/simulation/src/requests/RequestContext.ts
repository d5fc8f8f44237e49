import * as Context from "effect/Context"

/** Number of open resources of one API key. */
export interface Caller {
  readonly open: { turn: number; browser: number }
}

/** A slot that a create was given among what its API key may have at once. */
export interface Slot {
  readonly caller: Caller
  readonly of: keyof Caller["open"]
  /** True if the slot is held for the request itself, rather than for something that the request created. */
  held: boolean
  /** Identifies this create if it's sent again with its Idempotency-Key. */
  readonly replay?: string
}

/** A request that is being carried out, as far as those it makes do things for are concerned. */
export interface RequestContext {
  /** The kind of resource that the operation creates. */
  readonly makes: "session" | "turn" | "browser" | null
  /** The id of what it made. */
  made: string | null
  /** Its place among what its API key may have at once; null without a limit. */
  slot: Slot | null
}

/** The request that is being carried out; undefined outside of one, and for requests that make nothing. */
export const CurrentRequest: Context.Reference<RequestContext | undefined> = Context.Reference(
  "@webagent/simulation/CurrentRequest",
  { defaultValue: (): RequestContext | undefined => undefined }
)
