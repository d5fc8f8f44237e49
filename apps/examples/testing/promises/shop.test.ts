import { Control, Server, type SimulatedOptions, SimulatedService } from "@webagent/simulation"
import { WebAgent } from "@webagent/v4/promise"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { expect, it, onTestFinished } from "vitest"
import { buy } from "./shop.ts"

/** A simulated run takes 5 ms, so the tests poll often. */
const pace = { first: "5 millis", every: "5 millis" } as const

/** A service of its own for one test, on a free port, and a client of it. */
const start = async (options: SimulatedOptions = {}) => {
  const runtime = ManagedRuntime.make(SimulatedService.layer({ profile: "instant", ...options }))
  const { address, apiKeys } = await runtime.runPromise(Server)
  const agent = new WebAgent({ baseUrl: address, apiKey: apiKeys[0] })
  onTestFinished(async () => {
    await agent.close()
    await runtime.dispose()
  })
  /** What the service found wrong with how the app used it. */
  const complaints = async () => {
    const { verdicts } = await runtime.runPromise(Control.use((control) => control.verdicts))
    return verdicts.filter(({ holds }) => !holds).map(({ sentence }) => sentence)
  }
  /** How many requests the service received. */
  const requests = async () => {
    const { entries } = await runtime.runPromise(Control.use((control) => control.journal({ type: "request" })))
    return entries.length
  }
  return { agent, complaints, requests }
}

it("returns the number of the order", async () => {
  const { agent, complaints } = await start()
  expect(await buy(agent, "the red mug [simulate output=4711]", pace)).toBe("4711")
  expect(await complaints()).toEqual([])
})

it("says why an item was not bought", async () => {
  const { agent } = await start()
  const bought = buy(agent, 'the red mug [simulate outcome=failed error="sold out"]', pace)
  await expect(bought).rejects.toThrow("sold out")
})

it("does not buy twice when the response is lost", async () => {
  const { agent, requests } = await start({
    faults: [
      { fault: { kind: "reset", placement: "after-apply" }, when: { operations: ["v4.createRun"], attempts: [1] } }
    ]
  })
  await expect(buy(agent, "the red mug", pace)).rejects.toThrow("may be bought")
  expect(await requests()).toBe(1)
})
