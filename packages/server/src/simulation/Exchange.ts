import * as Context from "effect/Context"

/** A request that is being carried out, as far as those it makes do things for are concerned. */
export interface Exchange {
  /** What is looked for among what it makes: the kind of thing that its operation creates. */
  readonly makes: "session" | "turn" | "browser" | null
  /** The id of what it made. */
  made: string | null
}

/** The request that is being carried out; undefined outside of one, and for requests that make nothing. */
export const CurrentExchange: Context.Reference<Exchange | undefined> = Context.Reference(
  "@webagent/server/CurrentExchange",
  { defaultValue: (): Exchange | undefined => undefined }
)
