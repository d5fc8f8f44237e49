import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { BrowserPool } from "../../src/browser/BrowserPool.ts"
import * as SimulatedBrowserPool from "../../src/browser/SimulatedBrowserPool.ts"
import { browser } from "../domain/records.ts"

const launch = Effect.provide(
  BrowserPool.use((pool) => pool.launch(browser)),
  SimulatedBrowserPool.layer
)

/** What the browser answers to each of these messages. */
const ask = (...messages: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { connect } = yield* launch
    const connection = yield* connect
    yield* Effect.forEach(messages, connection.send)
    const answers = yield* Stream.runCollect(Stream.take(connection.messages, messages.length))
    return answers.map((answer): unknown => JSON.parse(answer))
  }).pipe(Effect.scoped)

describe("SimulatedBrowserPool", () => {
  it.effect("answers Browser.getVersion, in the session that asked, and -32001 in one that is not there", () =>
    Effect.gen(function* () {
      const answers = yield* ask(
        '{"id":1,"method":"Browser.getVersion"}',
        '{"id":2,"method":"Browser.getVersion","sessionId":"s"}'
      )
      const result = {
        protocolVersion: "1.3",
        product: "SimulatedBrowser/1.0",
        revision: "@simulated",
        userAgent: "Mozilla/5.0 (simulated) WebAgent/1.0",
        jsVersion: "0.0"
      }
      assert.deepStrictEqual(answers, [
        { id: 1, result },
        { id: 2, sessionId: "s", error: { code: -32_001, message: "Session with given id not found." } }
      ])
    })
  )

  it.effect("refuses every other method with -32601 and what is no command with -32600", () =>
    Effect.gen(function* () {
      const answers = yield* ask(
        '{"id":7,"method":"Browser.crash"}',
        "hello",
        '{"id":"x","method":"Browser.getVersion"}'
      )
      const malformed = { error: { code: -32600, message: "Message must be an object with integer id and method" } }
      assert.deepStrictEqual(answers, [
        { id: 7, error: { code: -32601, message: "'Browser.crash' wasn't found: this browser is simulated" } },
        malformed,
        malformed
      ])
    })
  )

  it.effect("a connection that goes leaves the browser and the others alone; stop ends them all", () =>
    Effect.gen(function* () {
      const { connect, stop } = yield* launch
      const stays = yield* connect
      yield* Effect.scoped(connect)
      yield* stays.send('{"id":1,"method":"Browser.getVersion"}')
      yield* stop
      assert.lengthOf(yield* Stream.runCollect(stays.messages), 1)
    }).pipe(Effect.scoped)
  )
})
