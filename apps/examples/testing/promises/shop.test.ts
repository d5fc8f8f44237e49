import { simulate, type SimulateOptions } from "@webagent/simulation"
import { WebAgent } from "@webagent/v4/promise"
import { expect, it, onTestFinished } from "vitest"
import { buy } from "./shop.ts"

/** Starts a service for one test, and a client for it. */
const start = async (options: SimulateOptions = {}) => {
  const service = await simulate(options)
  const agent = new WebAgent(service.client)
  onTestFinished(() => agent.close().then(service.close))
  return { agent, service }
}

it("returns the order number", async () => {
  const { agent, service } = await start()
  expect(await buy(agent, "the red mug [simulate output=4711]")).toBe("4711")
  await service.assertClean()
})

it("reports why an item was not bought", async () => {
  const { agent } = await start()
  const bought = buy(agent, 'the red mug [simulate outcome=failed error="sold out"]')
  await expect(bought).rejects.toThrow("sold out")
})

it("does not buy twice when the response is lost", async () => {
  const lost = { fault: { kind: "reset", placement: "after-apply" }, when: { operations: ["v4.createRun"] } } as const
  const { agent, service } = await start({ faults: [lost] })
  await expect(buy(agent, "the red mug")).rejects.toThrow("may have been bought")
  expect(await service.runs()).toHaveLength(1)
})

it("reports a busy service, and how long to wait", async () => {
  const busy = { fault: { kind: "status", status: 429, retryAfter: "30 seconds" } } as const
  const { agent } = await start({ faults: [busy] })
  await expect(buy(agent, "the red mug")).rejects.toMatchObject({ retryAfter_ms: 30_000 })
})
