import { browser } from "@webagent/test-fixtures/Records"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as SimulatedBrowserPool from "../../src/browser/SimulatedBrowserPool.ts"
import { type CdpConnection, connectionOver } from "../support/connectionOver.ts"

const launch = Effect.sync(() => {
  const { connect, drop, stop } = SimulatedBrowserPool.start(browser.id)
  return { connect: Effect.flatMap(connect, connectionOver), drop, stop }
})

/** What the browser answers to each of these messages. */
const ask = (...messages: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { connect } = yield* launch
    const connection = yield* connect
    yield* Effect.forEach(messages, connection.send)
    const answers = yield* Stream.runCollect(Stream.take(connection.messages, messages.length))
    return answers.map((answer): unknown => JSON.parse(String(answer)))
  }).pipe(Effect.scoped)

describe("SimulatedBrowserPool", () => {
  it.effect("responds to Browser.getVersion in the session that asked, and with -32001 in an unknown one", () =>
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

  it.effect("refuses every other method with -32601 and invalid commands with -32600", () =>
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

  it.effect("keeps the browser and the other connections when one closes, and closes all at a stop", () =>
    Effect.gen(function* () {
      const { connect, stop } = yield* launch
      const stays = yield* connect
      yield* Effect.scoped(connect)
      yield* stays.send('{"id":1,"method":"Browser.getVersion"}')
      yield* stop
      assert.lengthOf(yield* Stream.runCollect(stays.messages), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("drops every connection on request, and the browser keeps its pages and accepts new connections", () =>
    Effect.gen(function* () {
      const { connect, drop } = yield* launch
      const [one, other] = [yield* connect, yield* connect]
      yield* one.send('{"id":1,"method":"Target.createTarget","params":{"url":"data:,kept"}}')
      yield* drop
      assert.deepStrictEqual([yield* one.ended, yield* other.ended], ["dropped", "dropped"])
      const next = yield* connect
      yield* next.send('{"id":2,"method":"Target.getTargets"}')
      const [answer = ""] = yield* Stream.runCollect(Stream.take(next.messages, 1))
      assert.include(answer, "data:,kept")
    }).pipe(Effect.scoped)
  )

  it.effect("closes only its own connection on Browser.close, and reports a stop even to late connections", () =>
    Effect.gen(function* () {
      const { connect, stop } = yield* launch
      const [one, other] = [yield* connect, yield* connect]
      yield* one.send('{"id":1,"method":"Browser.close"}')
      assert.strictEqual(yield* one.ended, "closed")
      assert.deepStrictEqual(yield* Stream.runCollect(one.messages), ['{"id":1,"result":{}}'])
      yield* other.send('{"id":1,"method":"Browser.getVersion"}')
      yield* stop
      assert.strictEqual(yield* other.ended, "stopped")
      assert.lengthOf(yield* Stream.runCollect(other.messages), 1)
      assert.strictEqual(yield* (yield* connect).ended, "stopped")
    }).pipe(Effect.scoped)
  )

  it.effect("makes a client that doesn't read wait, and disconnects it before others' events fill the memory", () =>
    Effect.gen(function* () {
      const { connect } = yield* launch
      const [deaf, busy] = [yield* connect, yield* connect]
      const attach = Effect.fnUntraced(function* (connection: CdpConnection) {
        yield* connection.send('{"id":1,"method":"Target.getTargets"}')
        const [targets = ""] = yield* Stream.runCollect(Stream.take(connection.messages, 1))
        const targetId = /"targetId":"([^"]+)"/u.exec(String(targets))?.[1]
        const params = { targetId, flatten: true }
        yield* connection.send(JSON.stringify({ id: 2, method: "Target.attachToTarget", params }))
        const [attached = ""] = yield* Stream.runCollect(Stream.take(connection.messages, 2))
        return /"sessionId":"([^"]+)"/u.exec(String(attached))?.[1]
      })
      const navigate = (sessionId: string | undefined) =>
        JSON.stringify({ id: 4, method: "Page.navigate", sessionId, params: { url: `data:,${"x".repeat(250_000)}` } })
      yield* deaf.send(JSON.stringify({ id: 3, method: "Page.enable", sessionId: yield* attach(deaf) }))
      const sessionId = yield* attach(busy)
      for (let count = 0; count < 10; count++) yield* busy.send(navigate(sessionId))
      const own = yield* Effect.forkChild(deaf.send('{"id":5,"method":"Browser.getVersion"}'), {
        startImmediately: true
      })
      assert.isUndefined(own.pollUnsafe())
      for (let count = 0; count < 100; count++) yield* busy.send(navigate(sessionId))
      assert.strictEqual(yield* deaf.ended, "dropped")
      yield* Fiber.join(own)
    }).pipe(Effect.scoped)
  )
})
