import { serve } from "@hono/node-server"
import { simulate } from "@webagent/simulation"
import { WebAgent } from "@webagent/v4/promise"
import type { WebhookEvent } from "@webagent/v4/webhooks"
import type { AddressInfo } from "node:net"
import { expect, it } from "vitest"
import { makeApp } from "./app.ts"

it("receives a webhook when a run finishes", async () => {
  let secret = ""
  const { promise: received, resolve } = Promise.withResolvers<WebhookEvent>()
  const app = makeApp(
    () => secret,
    async (_, event) => resolve(event)
  )
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 })
  try {
    await using service = await simulate()
    const { port } = server.address() as AddressInfo
    const response = await fetch(`${service.address}/admin/v1/webhooks`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-service-api-key": service.apiKey },
      body: JSON.stringify({ url: `http://127.0.0.1:${port}/webhooks`, events: ["run.completed"] })
    })
    secret = ((await response.json()) as { readonly secret: string }).secret
    await using agent = new WebAgent(service.client)
    const { id } = await agent.runs.create({ task: "Find a red mug [simulate output=found]" })
    expect(await received).toMatchObject({ type: "run.completed", data: { id, status: "completed" } })
    expect((await agent.runs.get(id)).result).toBe("found")
  } finally {
    server.close()
  }
})

it("refuses a request that the server didn't sign", async () => {
  const app = makeApp(
    () => "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    () => Promise.reject(new Error("It was handled"))
  )
  const forged = await app.request("/webhooks", {
    method: "POST",
    headers: {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
      "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
    },
    body: '{"type":"run.completed"}'
  })
  expect([forged.status, await forged.text()]).toEqual([
    400,
    "The webhook can't be verified: No matching signature found."
  ])
  expect((await app.request("/webhooks", { method: "POST" })).status).toBe(400)
})
