import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import { isThisMachine, settingsOf } from "../../../src/cli/load/LoadOptions.ts"

it.effect("LoadOptions omits outcome and duration from the task if a profile is given", () =>
  Effect.gen(function* () {
    const workload = {
      rate: undefined,
      vus: undefined,
      duration: undefined,
      mix: undefined,
      sample: undefined,
      runTimeout: undefined
    }
    const taskOf = (change: { readonly profile?: string; readonly task?: string }) =>
      Effect.map(settingsOf({ ...workload, task: undefined, ...change }), ({ task }) => task)
    assert.isUndefined(yield* taskOf({}))
    assert.strictEqual(yield* taskOf({ profile: "flaky" }), "Say hello")
    assert.strictEqual(yield* taskOf({ profile: "flaky", task: "Buy a mug" }), "Buy a mug")
  }).pipe(Effect.provide(NodeServices.layer))
)

describe("isThisMachine", () => {
  for (const address of [
    "http://127.0.0.1:8080",
    "http://127.8.9.10/api/v4",
    "http://localhost",
    "https://LOCALHOST:1",
    "http://[::1]:9",
    "http://2130706433/"
  ]) {
    it(`accepts ${address}`, () => assert.isTrue(isThisMachine(address)))
  }
  for (const address of [
    "https://api.example.com",
    "http://127.0.0.1.example.com",
    "http://localhost.example.com",
    "http://127.0.0.1@example.com",
    "http://10.0.0.1",
    "http://0.0.0.0",
    "http://[::2]",
    "nonsense"
  ]) {
    it(`refuses ${address}`, () => assert.isFalse(isThisMachine(address)))
  }
})
