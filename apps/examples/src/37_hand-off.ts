/**
 * Hand-off: a run asks a person in the middle of its task, waits for the answer, and continues with it.
 *
 * Run: WEBAGENT_BASE_URL=... WEBAGENT_API_KEY=... npm run example -- 37_hand-off
 */
import { ClientConfig, execute, Transport } from "@webagent/core"
import { Runs, V4 } from "@webagent/v4"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"

/** Your own inbox goes here: a chat message, a ticket or a page with a form. */
const askPerson = (question: string, choices: ReadonlyArray<string> | null) =>
  Effect.as(Effect.log(`${question} ${choices?.join(" or ") ?? ""}`), "Blue")

/** Waits until the run asks a person; undefined if it's over without a question. */
const questionOf = Effect.fnUntraced(function* (id: string) {
  const runs = yield* Runs
  for (;;) {
    const { finishedAt, waitingFor } = yield* runs.get(id)
    if (waitingFor) return waitingFor
    if (finishedAt) return undefined
    yield* Effect.sleep("50 millis")
  }
})

export const program = Effect.gen(function* () {
  const runs = yield* Runs
  const transport = yield* Transport
  const { id } = yield* runs.create({
    task: 'Buy a mug [simulate duration=200ms ask="Which color?" choices=["Red","Blue"]]',
    handOff: { timeout: 3600, whenUnanswered: "fail" }
  })
  const question = yield* questionOf(id)
  if (question !== undefined) {
    const answer = yield* askPerson(question.question, question.choices)
    const request = HttpClientRequest.post(`/runs/${id}/answer`)
    const body = { questionId: question.id, answer }
    const { status } = yield* execute(transport, "v4", HttpClientRequest.bodyJsonUnsafe(request, body))
    if (status === 409) yield* Effect.log("Another person was faster")
  }
  return yield* runs.untilTerminal(id)
})

export const layer = Layer.provideMerge(
  V4.layerServices,
  Transport.layer.pipe(Layer.provide([ClientConfig.layerConfig, FetchHttpClient.layer]))
)
