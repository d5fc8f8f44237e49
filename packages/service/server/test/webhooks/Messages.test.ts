import { assert, it } from "@effect/vitest"
import {
  ApiKeys,
  BrowserPool,
  Engine,
  IdSource,
  layerStreamingAgent,
  LaunchFailed,
  makeWebhook,
  MemoryStore,
  Owner,
  Turn,
  type WebhookEventType
} from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Messages from "../../src/webhooks/Messages.ts"
import { layerOfTest } from "../http/admin/keys.ts"

/** Asks a person, and repeats the answer. */
const agent = layerStreamingAgent({
  model: "test",
  version: "test-1",
  perform: (_, attempt) =>
    Stream.concat(
      Stream.make({ _tag: "Started" } as const),
      Stream.fromEffect(
        Effect.map(
          attempt.ask({ reason: "question", question: "Which mug?", choices: null, askedBy: "agent" }),
          () => ({ _tag: "Completed", report: { output: "Red" } }) as const
        )
      )
    )
})

const browsers = Layer.succeed(BrowserPool, {
  launch: () => Effect.fail(new LaunchFailed({ reason: "failed", message: "There are no browsers" }))
})

const ids = Layer.sync(IdSource, () => {
  let count = 0
  return { next: (kind) => Effect.sync(() => `${kind}-${++count}`) }
})

const engine = Engine.layer.pipe(Layer.provide([agent, browsers, MemoryStore.layer, ids]))

/** A webhook of every key for some changes. */
const hookFor = (events: ReadonlyArray<WebhookEventType>) =>
  makeWebhook("hook", null, { url: "https://app.example", description: null, events, everyKey: true, after: -1 }, 0)

it.live("spending alerts are for 80 and 100 % of a key's daily limit, each once a day", () =>
  Effect.gen(function* () {
    const { cancelTurn, createSession, events } = yield* Engine
    const messagesOf = yield* Messages.make
    const keys = yield* ApiKeys
    const run = { task: "Buy a mug", modelParams: null, thinkingLevel: null }
    const { turn } = yield* Effect.provideService(createSession(run), Owner, "shop")
    yield* cancelTurn(turn.id)
    const alertAt = Effect.fnUntraced(function* (usdPerDay: number | null) {
      yield* keys.setLimits("shop", { runs: null, browsers: null, requestsPerMinute: null, usdPerDay })
      const messages = yield* messagesOf([hookFor(["spend.alert"])], yield* events.eventsAfter(-1, 100))
      return messages.map(({ body, once }) => {
        const { data } = JSON.parse(body) as { readonly data: { readonly day: string; readonly percent: number } }
        assert.strictEqual(once, `spending shop ${data.day} ${data.percent}`)
        return data.percent
      })
    })
    // the key has spent 0.1 + 0.2
    assert.deepStrictEqual(yield* Effect.forEach([null, 0.38, 0.375, 0.31, 0.1 + 0.2, 0.1], alertAt), [
      [],
      [],
      [80],
      [80],
      [100],
      [100]
    ])
  }).pipe(Effect.provide(Layer.merge(engine, layerOfTest)))
)

it.live("messages about a question show the run as it was then, even if it has finished since", () =>
  Effect.gen(function* () {
    const { answer, createSession, events, turn } = yield* Engine
    const messagesOf = yield* Messages.make
    const { turn: run } = yield* createSession({
      task: "Buy a mug",
      modelParams: null,
      thinkingLevel: null,
      handOff: { timeout_ms: 60_000, whenUnanswered: "continue", pausesLimits: false }
    })
    const until = (isSo: (turn: Turn.Turn) => boolean) =>
      Effect.repeat(Effect.delay(turn(run.id), "5 millis"), { until: isSo })
    const asked = yield* until((turn) => Turn.waitingFor(turn) !== null)
    yield* answer(run.id, { questionId: Turn.waitingFor(asked)?.id ?? "", answer: "Red", by: "ann" })
    yield* until(({ status }) => Turn.isTerminal(status))
    const types = ["run.waiting", "run.answered", "run.completed"] as const
    const messages = yield* messagesOf([hookFor(types)], yield* events.eventsAfter(-1, 100))
    const bodies = messages.map(({ body }) => JSON.parse(body) as { readonly type: string; readonly data: object })
    assert.deepStrictEqual(
      bodies.map(({ type }) => type),
      [...types]
    )
    const [waiting, answered, completed] = bodies
    for (const one of [waiting, answered]) assert.deepInclude(one?.data, { status: "running", finishedAt: null })
    assert.deepInclude(completed?.data, { status: "completed" })
    assert.isNotNull(Reflect.get(completed?.data ?? {}, "finishedAt"))
  }).pipe(Effect.provide(engine))
)
