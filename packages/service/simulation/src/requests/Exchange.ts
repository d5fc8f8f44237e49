import * as Context from "effect/Context"

/** How many things that are not over one API key has. */
export interface Caller {
  readonly open: { turn: number; browser: number }
}

/** A place that a create was given among what its API key may have at once. */
export interface Place {
  readonly caller: Caller
  readonly of: keyof Caller["open"]
  /** Whether it is held for the request, and not by something that the request made. */
  held: boolean
  /** What names this create when it is sent again with its Idempotency-Key. */
  readonly replay?: string
}

/** A request that is being carried out, as far as those it makes do things for are concerned. */
export interface Exchange {
  /** What is looked for among what it makes: the kind of thing that its operation creates. */
  readonly makes: "session" | "turn" | "browser" | null
  /** The id of what it made. */
  made: string | null
  /** Its place among what its API key may have at once; null where nobody counts. */
  place: Place | null
}

/** The request that is being carried out; undefined outside of one, and for requests that make nothing. */
export const CurrentExchange: Context.Reference<Exchange | undefined> = Context.Reference(
  "@webagent/simulation/CurrentExchange",
  { defaultValue: (): Exchange | undefined => undefined }
)
