import * as Schema from "effect/Schema"
import { OptionalText } from "./Fields.ts"

/** An element that an agent acted on, as a replay finds it again. */
export const RecordedElement = Schema.Struct({
  role: Schema.String,
  name: Schema.String,
  /** The address of the frame that holds it, without its query; null for the page itself. */
  frame: OptionalText,
  /** Its place in its document: a CSS selector, with ` >> ` where it enters a shadow root. */
  path: Schema.String,
  /** The text around it, which distinguishes it from elements with the same role and name. It has to be the same. */
  near: Schema.String,
  /** The text closest to it, which has to be the same if the run used several elements with this role and name. */
  around: Schema.optionalKey(Schema.String)
})

export type RecordedElement = typeof RecordedElement.Type

/** A page right before a call, as a replay recognizes it. */
export const RecordedPage = Schema.Struct({
  /** Its address without the query. */
  address: Schema.String,
  /** Its title and main headings, or the question that it asks in a dialog. */
  heading: Schema.String
})

export type RecordedPage = typeof RecordedPage.Type

/** A call of an agent's tool in a step, with all that a replay needs to make it again. */
export const StepCall = Schema.Struct({
  tool: Schema.String,
  /** Its arguments. Agents put placeholders in place of secrets. */
  params: Schema.Record(Schema.String, Schema.Json),
  /** The elements that it was used on, by the names of the arguments that stand for them. */
  elements: Schema.Record(Schema.String, RecordedElement),
  status: Schema.Literals(["done", "failed", "skipped"]),
  /** False if a part can't be stored, such as a password that is no secret of the agent. It can't be replayed then. */
  isComplete: Schema.Boolean,
  /** The page right before the call. */
  page: Schema.optionalKey(RecordedPage),
  /** Of the call that ends a turn, the words of its result that pages showed. */
  words: Schema.optionalKey(Schema.Array(Schema.String))
})

export type StepCall = typeof StepCall.Type

/** The ways in which a replay repeats a step: as it was, on an element that has moved, or by asking the model. */
export const repetitions = ["replayed", "healed", "asked"] as const

export type Repetition = (typeof repetitions)[number]

/** The replay of an earlier turn, and the number of its steps that were repeated in each way so far. */
export const Replay = Schema.Struct({
  /** The id of the turn whose steps are repeated. */
  of: Schema.String,
  /** False if the turn fails where a step can't be repeated without the model. */
  mayAsk: Schema.Boolean,
  replayed: Schema.Int,
  healed: Schema.Int,
  asked: Schema.Int,
  /** The turn that the first of a chain of replays repeats; missing in turns of agents that record calls, and before. */
  root: Schema.optionalKey(Schema.String),
  /** The last answer of a person in the turn that is repeated; missing without one, and where `root` is. */
  answer: Schema.optionalKey(Schema.String)
})

export type Replay = typeof Replay.Type

/** A replay that has not begun. */
export const replayOf = (of: string, mayAsk: boolean): Replay => ({ of, mayAsk, replayed: 0, healed: 0, asked: 0 })

/** Counts a step that was repeated. */
export const repeated = (replay: Replay, how: Repetition): Replay => ({ ...replay, [how]: replay[how] + 1 })
