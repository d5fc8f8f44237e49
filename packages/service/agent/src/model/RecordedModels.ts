import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as Response from "effect/ai/Response"
import { invalidRequest } from "./ModelError.ts"
import { Models, OnSpent } from "./Models.ts"
import * as Dialogue from "./Dialogue.ts"

/** Options of a model that repeats a recorded dialogue. */
export interface RecordedOptions {
  /** Changes a recorded text, for example to put the address of a test's site in place of a placeholder. */
  readonly change?: (text: string) => string
}

/**
 * Makes a model that responds as a recorded one did, request by request, so that a real model's dialogue is part of a test
 * without a model. A request with other instructions or tools than the recorded ones fails: the recording is out of
 * date. So does a request after the last one.
 */
export const layer = (
  exchanges: ReadonlyArray<Dialogue.Exchange>,
  { change = (text) => text }: RecordedOptions = {}
): Layer.Layer<Models> =>
  Layer.sync(Models, () => {
    const model = exchanges[0]?.model ?? "recorded"
    let count = 0

    const ask = Effect.fnUntraced(function* (request: LanguageModel.ProviderOptions) {
      const exchange = exchanges[count++]
      if (exchange === undefined) {
        return yield* invalidRequest(`The recorded dialogue has only ${exchanges.length} responses. Record it again.`)
      }
      if (exchange.prompt !== Dialogue.promptOf(request)) {
        return yield* invalidRequest(
          `The recorded dialogue is out of date: the instructions or the tools have changed since response ${count} was recorded. Record it again.`
        )
      }
      const { input, output } = exchange.usage
      const usage = {
        inputTokens: { total: input ?? undefined, uncached: undefined, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: output ?? undefined, text: undefined, reasoning: undefined }
      }
      yield* Effect.flatMap(OnSpent, (tell) =>
        tell({ model, at_ms: 0, duration_ms: 0, usage: new Response.Usage(usage), cost: null, estimate: null })
      )
      const content: ReadonlyArray<Response.PartEncoded> = JSON.parse(change(JSON.stringify(exchange.content)))
      return [...content, { type: "finish", reason: "stop", usage, response: undefined } as Response.PartEncoded]
    })

    const language = LanguageModel.make({
      generateText: ask,
      streamText: () => Stream.fail(invalidRequest("A recorded dialogue can't be streamed."))
    })
    const one = {
      name: model,
      model,
      sees: false,
      marks: false,
      contextTokens: undefined,
      isPriced: false,
      forTurn: language
    }
    return { ...one, names: [model], named: (name: string) => (name === model ? one : undefined) }
  })
