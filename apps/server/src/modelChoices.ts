import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import { usage } from "@webagent/cli/UserError"
import { type ModelName, type ModelPrice, modelFromText, priceFromText } from "./modelTexts.ts"
import * as Option from "effect/Option"

/** A model that runs may choose by its name in the file. */
export interface ModelChoice extends ModelName {
  readonly name: string
  readonly url: string | undefined
  readonly price: ModelPrice | undefined
  /** The variable with its key. */
  readonly keyName: string
  /** The size of its context in tokens. */
  readonly context: number | undefined
  /** True if it gets a picture of the page with each step. */
  readonly sees: boolean
}

const ModelsFile = Schema.fromJsonString(
  Schema.Record(
    Schema.String.check(Schema.isPattern(/^[\w.:/-]{1,100}$/u)),
    Schema.Struct({
      model: Schema.String,
      url: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^https?:\/\/\S+$/u))),
      price: Schema.optionalKey(Schema.String),
      key: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[A-Za-z_]\w*$/u))),
      context: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(4000))),
      sees: Schema.optionalKey(Schema.Boolean)
    })
  )
)

const example = '{ "small": { "model": "openai:NAME", "price": "input=0.2,output=0.8", "key": "WEBAGENT_SMALL_KEY" } }'

/** Reads the models of a file. */
export const readModels = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(files.readFileString(path), () =>
    usage(`--models: cannot read file ${path}. Check the path and its permissions.`)
  )
  const models = yield* Effect.mapError(Schema.decodeUnknownEffect(ModelsFile)(text), () =>
    usage(`--models: ${path} must be a JSON object such as ${example}.`)
  )
  return yield* Effect.forEach(
    Object.entries(models),
    Effect.fnUntraced(function* ([name, { context, key = "WEBAGENT_MODEL_KEY", model, price, sees = false, url }]) {
      const parsed = Option.getOrUndefined(modelFromText(model))
      if (parsed === undefined) {
        return yield* usage(`--models: the model of ${name} in ${path} must be DIALECT:NAME, such as openai:NAME.`)
      }
      const prices = price === undefined ? undefined : Option.getOrUndefined(priceFromText(price))
      if (price !== undefined && prices === undefined) {
        return yield* usage(`--models: the price of ${name} in ${path} must be such as input=3,output=15.`)
      }
      const choice: ModelChoice = { ...parsed, name, url, price: prices, keyName: key, context, sees }
      return choice
    })
  )
})
