import { assert, describe, it } from "@effect/vitest"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { createHmac } from "node:crypto"
import { type RunningService, simulate } from "../../src/simulate.ts"

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Delivery {
  readonly id: string
  readonly messageId: string
  readonly type: string
  readonly status: string
  readonly attempts: number
  readonly response: number | null
  readonly error: string | null
}

type Respond = (response: ServerResponse, count: number, request: Received) => void

const ok: Respond = (response) => void response.writeHead(204).end()

/** A program that receives webhooks. */
const receiver = async (respond: Respond = ok) => {
  const received: Array<Received> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => (body += text))
    request.on("end", () => {
      const one = { path: request.url ?? "", headers: request.headers, body }
      received.push(one)
      respond(response, received.length, one)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    types: () => received.map(({ body }) => (JSON.parse(body) as { readonly type: string }).type),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => void server.close(resolve))
    }
  }
}

const ask = async ({ address, apiKey }: RunningService, method: string, path: string, body?: unknown) => {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { "Content-Type": "application/json", "X-Service-API-Key": apiKey },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, body: (text === "" ? null : JSON.parse(text)) as never }
}

const admin = "/admin/v1/webhooks"

const createHook = async (service: RunningService, fields: { readonly url: string; readonly events?: unknown }) => {
  const { body, status } = await ask(service, "POST", admin, fields)
  assert.strictEqual(status, 201, JSON.stringify(body))
  return body as { readonly webhook: { readonly id: string }; readonly secret: string }
}

const createRun = async (service: RunningService, task: string) =>
  (await ask(service, "POST", "/api/v4/runs", { task })).body as { readonly id: string; readonly sessionId: string }

const logOf = async (service: RunningService, id: string) =>
  ((await ask(service, "GET", `${admin}/${id}/deliveries`)).body as { readonly rows: ReadonlyArray<Delivery> }).rows

const until = async (isTrue: () => boolean | Promise<boolean>) => {
  for (let left = 500; left > 0; left--) {
    if (await isTrue()) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  assert.fail("It did not happen within 5 seconds")
}

/** Checks a signature as the specification of Standard Webhooks has it, and returns the event. */
const verify = (secret: string, { body, headers }: Received) => {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64")
  const content = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`
  const signature = `v1,${createHmac("sha256", key).update(content).digest("base64")}`
  assert.include(String(headers["webhook-signature"]).split(" "), signature)
  assert.closeTo(Number(headers["webhook-timestamp"]) * 1000, Date.now(), 60_000)
  return JSON.parse(body) as { readonly type: string; readonly data: Readonly<Record<string, unknown>> }
}

describe("webhooks", () => {
  it("are sent when runs finish and browsers stop, are signed, and are in the log", async () => {
    await using app = await receiver()
    await using service = await simulate()
    const { secret, webhook } = await createHook(service, { url: `${app.url}/hooks` })
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/u)
    const run = await createRun(service, "Find a red mug [simulate output=found]")
    await until(() => app.received.length === 1)
    const browser = (await ask(service, "POST", "/api/v4/browsers", {})).body as { readonly id: string }
    await ask(service, "PATCH", `/api/v4/browsers/${browser.id}`, { action: "stop" })
    await until(() => app.received.length === 2)
    const [first = assert.fail(), second = assert.fail()] = app.received
    const event = verify(secret, first)
    assert.deepInclude(event, { type: "run.completed" })
    assert.deepInclude(event.data, { id: run.id, sessionId: run.sessionId, status: "completed", error: null, tags: [] })
    assert.isString(event.data["cost"])
    assert.deepInclude(verify(secret, second).data, { id: browser.id, sessionId: null, reason: "asked" })
    assert.strictEqual(first.path, "/hooks")
    assert.strictEqual(first.headers["content-type"], "application/json")
    // neither the task nor its result is sent
    assert.notInclude(first.body, "red mug")
    await until(async () => (await logOf(service, webhook.id)).every(({ status }) => status === "delivered"))
    const log = await logOf(service, webhook.id)
    assert.deepStrictEqual(
      log.map(({ attempts, messageId, response, type }) => [type, attempts, response, messageId]),
      [
        ["browser.stopped", 1, 204, String(second.headers["webhook-id"])],
        ["run.completed", 1, 204, String(first.headers["webhook-id"])]
      ]
    )
    const { body } = await ask(service, "GET", `${admin}/${webhook.id}/deliveries/${log[1]?.id}`)
    assert.strictEqual((body as { readonly body: string }).body, first.body)
    const [listed] = (await ask(service, "GET", admin)).body as ReadonlyArray<{
      readonly url: string
      readonly lastDelivery: Delivery
    }>
    assert.strictEqual(listed?.url, `${app.url}/hooks`)
    assert.strictEqual(listed?.lastDelivery.type, "browser.stopped")
    assert.notInclude(JSON.stringify(listed), "whsec_")
  })

  it("are sent only for the subscribed changes", async () => {
    await using app = await receiver()
    await using service = await simulate()
    await createHook(service, { url: app.url, events: ["run.failed", "run.cancelled"] })
    await createRun(service, "t [simulate output=found]")
    await createRun(service, "t [simulate outcome=failed error=broken]")
    await until(() => app.received.length > 0)
    const run = await createRun(service, "t [simulate duration=1h]")
    await ask(service, "POST", `/api/v4/runs/${run.id}/cancel`)
    await until(() => app.received.length > 1)
    assert.deepStrictEqual(app.types(), ["run.failed", "run.cancelled"])
  })

  it("are sent when a run asks a person, is answered, and finishes", async () => {
    await using app = await receiver()
    await using service = await simulate()
    await createHook(service, { url: app.url })
    const task = 'Buy a mug [simulate duration=100ms ask="Which color?"]'
    const { body } = await ask(service, "POST", "/api/v4/runs", { task, handOff: {} })
    const { id } = body as { readonly id: string }
    await until(() => app.received.length === 1)
    const read = await ask(service, "GET", `/api/v4/runs/${id}`)
    const { waitingFor } = read.body as { readonly waitingFor: { readonly id: string } }
    const answer = { questionId: waitingFor.id, answer: "Red" }
    assert.strictEqual((await ask(service, "POST", `/api/v4/runs/${id}/answer`, answer)).status, 200)
    await until(() => app.received.length === 3)
    assert.deepStrictEqual(app.types(), ["run.waiting", "run.answered", "run.completed"])
    for (const { body } of app.received.slice(0, 2)) {
      const { data } = JSON.parse(body) as { readonly data: object }
      assert.deepInclude(data, { id, status: "running", questionId: waitingFor.id, finishedAt: null })
      // neither the question nor its answer is sent
      assert.notMatch(body, /Which color|Red/u)
    }
  })

  it("are sent when no person answers a run in time", async () => {
    await using app = await receiver()
    await using service = await simulate({ time: { mode: "manual" } })
    await createHook(service, { url: app.url })
    const task = 'Buy a mug [simulate duration=1s ask="Which color?"]'
    await ask(service, "POST", "/api/v4/runs", { task, handOff: { timeout: 60, whenUnanswered: "fail" } })
    await service.advance("2 minutes")
    assert.deepStrictEqual(app.types(), ["run.waiting", "run.unanswered", "run.failed"])
  })

  it("are retried for a day of service time, and then marked as failed", async () => {
    await using app = await receiver((response) => void response.writeHead(503).end())
    await using service = await simulate({ time: { mode: "manual" } })
    const { webhook } = await createHook(service, { url: app.url, events: ["run.completed"] })
    await createRun(service, "t [simulate output=found duration=1s]")
    await service.advance("2 seconds")
    assert.lengthOf(app.received, 1)
    await service.advance("6 seconds")
    assert.lengthOf(app.received, 2)
    await service.advance("22 hours")
    const [waiting] = await logOf(service, webhook.id)
    assert.deepInclude(waiting, { status: "queued", response: 503, error: "The response was 503" })
    await service.advance("4 hours")
    assert.lengthOf(app.received, 10)
    const [failed] = await logOf(service, webhook.id)
    assert.deepInclude(failed, { status: "failed", attempts: 10, response: 503 })
    assert.lengthOf(new Set(app.received.map(({ headers }) => headers["webhook-id"])), 1)
    // no message is sent until a person requests it
    await service.advance("2 days")
    assert.lengthOf(app.received, 10)
    const again = await ask(service, "POST", `${admin}/${webhook.id}/deliveries/${failed?.id}/redeliver`)
    assert.strictEqual(again.status, 202)
    await service.advance("1 second")
    assert.lengthOf(app.received, 11)
    assert.strictEqual(app.received[10]?.headers["webhook-id"], failed?.messageId)
    assert.strictEqual(app.received[10]?.body, app.received[0]?.body)
  })

  it("of one run arrive in order without delaying those of other runs", async () => {
    let isFixed = false
    await using app = await receiver(
      (response, _, { body }) => void response.writeHead(!isFixed && body.includes("run.failed") ? 500 : 204).end()
    )
    await using service = await simulate({ time: { mode: "manual" } })
    const { webhook } = await createHook(service, { url: app.url })
    await createRun(service, "t [simulate outcome=failed error=broken duration=1s]")
    await service.advance("2 seconds")
    await createRun(service, "t [simulate output=found duration=1s]")
    await service.advance("2 seconds")
    assert.deepStrictEqual(app.types(), ["run.failed", "run.completed"])
    // a second message about the run that waits
    const failing = (await logOf(service, webhook.id)).find(({ type }) => type === "run.failed")
    await ask(service, "POST", `${admin}/${webhook.id}/deliveries/${failing?.id}/redeliver`)
    await service.advance("2 seconds")
    assert.lengthOf(app.received, 2)
    isFixed = true
    await service.advance("10 seconds")
    assert.lengthOf(app.received, 4)
  })

  it("are also signed with the previous secret for a day after a rotation", async () => {
    await using app = await receiver()
    await using service = await simulate({ time: { mode: "manual" } })
    const created = await createHook(service, { url: app.url })
    const rotated = (await ask(service, "POST", `${admin}/${created.webhook.id}/rotate`)).body as typeof created
    assert.notStrictEqual(rotated.secret, created.secret)
    const test = async () => {
      const { body, status } = await ask(service, "POST", `${admin}/${created.webhook.id}/test`)
      assert.strictEqual(status, 202)
      assert.deepInclude(body, { type: "webhook.test", status: "queued" })
      await service.advance("1 second")
      return app.received.at(-1) ?? assert.fail()
    }
    const both = await test()
    for (const { secret } of [created, rotated]) assert.strictEqual(verify(secret, both).type, "webhook.test")
    await service.advance("25 hours")
    const one = await test()
    verify(rotated.secret, one)
    assert.throws(() => verify(created.secret, one))
  })

  it("time out without a response, and don't delay others", { timeout: 30_000 }, async () => {
    await using silent = await receiver(() => {})
    await using app = await receiver()
    await using service = await simulate()
    const { webhook } = await createHook(service, { url: silent.url })
    await createHook(service, { url: app.url })
    await createRun(service, "t [simulate output=found]")
    await until(() => app.received.length === 1)
    await createRun(service, "t [simulate output=found]")
    await until(() => app.received.length === 2)
    for (
      let left = 130;
      left > 0 && (await logOf(service, webhook.id)).every(({ attempts }) => attempts === 0);
      left--
    ) {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const log = await logOf(service, webhook.id)
    assert.deepInclude(log.at(-1), { status: "queued", attempts: 1, error: "No response within 10 seconds" })
  })

  it("can be changed, turned off and on, and deleted", async () => {
    await using app = await receiver()
    await using service = await simulate()
    const { webhook } = await createHook(service, { url: `${app.url}/a` })
    const change = (body: unknown) => ask(service, "PATCH", `${admin}/${webhook.id}`, body)
    assert.deepInclude((await change({ active: false, description: "CI" })).body, { active: false, description: "CI" })
    await createRun(service, "missed [simulate output=found]")
    await new Promise((resolve) => setTimeout(resolve, 300))
    await change({ active: true, url: `${app.url}/b` })
    await createRun(service, "sent [simulate output=found]")
    await until(() => app.received.length > 0)
    await new Promise((resolve) => setTimeout(resolve, 200))
    assert.deepStrictEqual(
      app.received.map(({ path }) => path),
      ["/b"]
    )
    assert.strictEqual((await ask(service, "DELETE", `${admin}/${webhook.id}`)).status, 204)
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["GET", "/deliveries"],
      ["POST", "/test"],
      ["POST", "/rotate"],
      ["POST", "/deliveries/none/redeliver"]
    ] as const) {
      assert.strictEqual((await ask(service, method, `${admin}/${webhook.id}${path}`)).status, 404, path)
    }
  })

  it("are refused with a reason if their fields are invalid", async () => {
    await using service = await simulate()
    for (const [fields, problem] of [
      [{}, "url"],
      [{ url: "app.example" }, "Expected an address such as https://app.example/webhooks"],
      [{ url: "https://a:b@app.example" }, "without a user name and password"],
      [{ url: "https://a@app.example" }, "without a user name and password"],
      [{ url: "https://app.example", events: ["run.started"] }, "run.completed"],
      [{ url: "https://app.example", events: [] }, "events"],
      [{ url: "https://app.example", event: ["run.failed"] }, "event"]
    ] as const) {
      const { body, status } = await ask(service, "POST", admin, fields)
      assert.strictEqual(status, 422, JSON.stringify(fields))
      assert.include(JSON.stringify(body), problem)
    }
    for (let count = 0; count < 20; count++) await createHook(service, { url: "https://app.example" })
    const { body, status } = await ask(service, "POST", admin, { url: "https://app.example" })
    assert.strictEqual(status, 409)
    assert.include(JSON.stringify(body), "20 webhooks, the most that one API key may have")
  })
})
