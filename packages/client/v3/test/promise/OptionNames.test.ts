import { assert, it } from "@effect/vitest"
import { ClientConfigError, WebAgent } from "../../src/promise/index.ts"

const options = { apiKey: "wak_canary", baseUrl: "http://127.0.0.1:1" }
const misspelled: object = { retrys: 1 }
const odd: object = { timout: 1000 }

it("an option with an unknown name is refused by the constructor and by a call", async () => {
  assert.throws(() => new WebAgent({ ...options, ...misspelled }), ClientConfigError, "Did you mean retries?")
  const agent = new WebAgent(options)
  const error: unknown = await agent.sessions.create({ task: "t" }, odd).catch((reason: unknown) => reason)
  assert.instanceOf(error, TypeError)
  assert.strictEqual((error as Error).message, "timout is not an option. Did you mean timeout?")
  await agent.close()
})
