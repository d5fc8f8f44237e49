import { assert, describe, it } from "vitest"
import { simulate } from "@webagent/simulation"
import { WaitTimeoutError, WebAgent } from "@webagent/v4/promise"

describe("a promise client in virtual time", () => {
  it("times out a wait after its own 30 minutes, and sees a later result, without real delay", async () => {
    await using service = await simulate({ virtualTime: true })
    await using agent = new WebAgent(service.client)
    const waiting = agent.runs.createAndWait({ task: "[simulate duration=40m output=late]" }).catch((error) => error)
    await service.advance("29 minutes")
    assert.lengthOf(
      (await service.runs()).filter(({ status }) => status === "running"),
      1
    )
    await service.advance("2 minutes")
    const error = await waiting
    assert.instanceOf(error, WaitTimeoutError)
    assert.isAtLeast(error.waited_ms, 30 * 60_000)
    const again = agent.runs.untilTerminal(error.id)
    await service.advance("10 minutes")
    assert.strictEqual((await again).result, "late")
  })

  it("times out an attempt after its own 30 seconds, and spaces its retries", async () => {
    await using service = await simulate({
      virtualTime: true,
      faults: [{ fault: { kind: "hang", for: "10 minutes" }, when: { operations: ["v4.getRun"] } }]
    })
    await using agent = new WebAgent({ ...service.client, retries: 1 })
    const { id } = await agent.runs.create({ task: "t" })
    const reading = agent.runs.get(id).catch((error) => error)
    await service.advance("5 minutes")
    const error = await reading
    assert.strictEqual(error.reason._tag, "Timeout")
    assert.strictEqual(error.attempts, 2)
  })
})
