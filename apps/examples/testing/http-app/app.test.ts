import { simulate, type SimulateOptions } from "@webagent/simulation"
import { WebAgent } from "@webagent/v4/promise"
import { expect, it, onTestFinished } from "vitest"
import { makeApp } from "./app.ts"

/** The app over a simulated service, which every test has for itself. */
const start = async (options: SimulateOptions = {}, timeout?: string) => {
  const service = await simulate(options)
  const agent = new WebAgent(service.client)
  onTestFinished(() => agent.close().then(service.close))
  const app = makeApp(agent, timeout)
  const search = (body: unknown) =>
    app.request("/offers", {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json" }
    })
  return { app, search, service }
}

it("returns a checked offer", async () => {
  const { search, service } = await start()
  const response = await search({ item: `mug [simulate output={"price":8.5,"currency":"EUR"}]` })
  expect(await response.json()).toMatchObject({ price: 8.5, currency: "EUR" })
  await service.assertClean()
})

it("refuses a search without an item, and creates no run", async () => {
  const { search, service } = await start()
  expect((await search({ itme: "mug" })).status).toBe(400)
  expect(await service.runs()).toEqual([])
})

it("returns a bad gateway error if the agent's result isn't an offer", async () => {
  const { search } = await start()
  const response = await search({ item: "mug [simulate output=sold-out]" })
  expect([response.status, await response.text()]).toEqual([502, expect.stringContaining("doesn't match the schema")])
})

it("passes on how long to wait when the service is busy", async () => {
  const busy = { fault: { kind: "status", status: 429, retryAfter: "30 seconds" } } as const
  const { search } = await start({ faults: [busy] })
  const response = await search({ item: "mug" })
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "30"])
})

it("survives polls that hang or fail, in virtual time", async () => {
  const { search, service } = await start({
    virtualTime: true,
    faults: [
      { fault: { kind: "hang" }, when: { operations: ["v4.getRunStatus"], attempts: [1] } },
      { fault: { kind: "status", status: 503 }, when: { operations: ["v4.getRunStatus"], attempts: [2, 3] } }
    ]
  })
  const searching = search({ item: 'mug [simulate duration=30s output={"price":8.5,"currency":"EUR"}]' })
  await service.advance("2 minutes")
  expect(await (await searching).json()).toMatchObject({ price: 8.5 })
  await service.assertClean()
})

it("cancels a search that takes an hour, which the test doesn't wait for", async () => {
  const { search, service } = await start({ virtualTime: true })
  const searching = search({ item: "mug [simulate duration=1h]" })
  await service.advance("3 minutes")
  expect((await searching).status).toBe(504)
  expect((await service.runs())[0]?.status).toBe("cancelled")
  await service.assertClean()
})

it("cancels a search that takes too long, and lists it", async () => {
  const { app, search, service } = await start({}, "50 millis")
  const response = await search({ item: "mug [simulate duration=1h]" })
  expect(response.status).toBe(504)
  expect((await service.runs())[0]?.status).toBe("cancelled")
  expect(await (await app.request("/searches")).json()).toHaveLength(1)
  await service.assertClean()
})
