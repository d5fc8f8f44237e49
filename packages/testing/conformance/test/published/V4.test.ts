import { assert, describe, it } from "@effect/vitest"
import { BrowserUse, BrowserUseError } from "browser-use-sdk/v4"
import { simulate } from "@webagent/simulation"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { type Exercised, exercised } from "./Exercised.ts"
import { apiKeyHeader, type Service, services } from "./service.ts"

const unknown = "00000000-0000-4000-8000-00000000ffff"

/** The fields of our responses that differ from the client's types, with the reason. */
const different = {
  timeoutAt: "a browser without a timeout has no such time",
  workspaceId: "a session has a workspace only if the run names one",
  result: "a result can be any JSON",
  contextLimit: "our server doesn't know the limits of models",
  totalCostUsd: "an unknown cost is not 0"
}

/** The status and the message of a call that the service refuses. */
const refusal = async (call: Promise<unknown>): Promise<readonly [status: number, message: string]> => {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason
  )
  assert.instanceOf(error, BrowserUseError)
  return [error.statusCode, error.message]
}

for (const [name, start] of Object.entries(services)) {
  describe(`the published v4 client against ${name}`, () => {
    let service: Service
    let client: BrowserUse
    let calls: Exercised
    beforeAll(async () => {
      service = await start()
      // the base URL and the key are all that an app changes
      client = new BrowserUse({ baseUrl: `${service.address}/api/v4`, apiKey: service.apiKey })
      calls = exercised(client, "browser-use-sdk/v4")
    })
    afterAll(() => service[Symbol.asyncDispose]())

    /** A session whose first run runs for an hour, unless it's cancelled. */
    const busy = async () => {
      const { id: run, sessionId: session } = await client.runs.create({ task: "[simulate duration=1h]" })
      return { run, session }
    }

    it("creates a run, waits for it and reads every field", async () => {
      const task = "Find a red mug [simulate output=found cost=0.42]"
      const created = await client.runs.create({
        task,
        model: "claude-opus-5",
        modelParams: { thinking: { type: "adaptive" } },
        maxCostUsd: 2,
        attachedFileIds: [],
        secretBindings: [],
        agentmail: false,
        browserSettings: { proxyCountryCode: null, record: true }
      })
      assert.include(["queued", "dispatching", "running"], created.status)
      assert.strictEqual(created.model, "claude-opus-5")
      assert.match(created.eventsUrl, new RegExp(`/api/v4/runs/${created.id}/events$`, "u"))
      const run = await client.runs.waitForCompletion(created.id, { interval: 5 })
      assert.deepInclude(run, {
        id: created.id,
        sessionId: created.sessionId,
        task,
        title: task,
        model: "claude-opus-5",
        status: "completed",
        result: "found",
        error: null,
        workspaceId: null,
        totalInputTokens: 0,
        totalOutputTokens: 0,
        totalCostUsd: "0.42"
      })
      for (const time of [run.createdAt, run.updatedAt]) assert.isNotNaN(Date.parse(time))
      assert.deepStrictEqual(await client.runs.status(created.id), { status: "completed" })
      assert.deepStrictEqual(await client.runs.attachments(created.id), { attachments: [] })
    })

    it("stops a run at its maxCostUsd", async () => {
      const { id } = await client.runs.create({ task: "[simulate cost=5 duration=10ms]", maxCostUsd: "1.50" })
      const run = await client.runs.waitForCompletion(id, { interval: 5 })
      assert.deepInclude(run, { status: "failed", error: "The run reached its cost limit of 1.50 USD." })
      assert.strictEqual(run.totalCostUsd, "1.50")
    })

    it("reads events page by page, and waits for one", async () => {
      const { id } = await client.runs.create({ task: "[simulate output=1]" })
      const event = await client.runs.waitForEvent(id, "run.completed", { interval: 5 })
      assert.strictEqual(event.runId, id)
      const first = await client.runs.events(id, { limit: 1 })
      assert.lengthOf(first.events, 1)
      assert.isTrue(first.hasMore)
      const rest = await client.runs.events(id, { after: first.nextAfter ?? 0, limit: 100 })
      const ids = [...first.events, ...rest.events].map((each) => each.id)
      assert.deepStrictEqual(
        ids,
        [...new Set(ids)].toSorted((left, right) => left - right)
      )
      assert.isFalse(rest.hasMore)
    })

    it("cancels a run", async () => {
      const { run } = await busy()
      assert.deepInclude(await client.runs.cancel(run), { id: run, status: "cancelled", result: null })
      assert.strictEqual((await client.runs.cancel(run)).status, "cancelled")
    })

    it("continues a session with a run, and lists the runs of a session and all runs", async () => {
      const { run, session } = await busy()
      const next = await client.runs.create({ task: "next", sessionId: session })
      assert.strictEqual(next.sessionId, session)
      const ofSession = await client.runs.list({ sessionId: session })
      assert.deepStrictEqual(
        ofSession.runs.map(({ id }) => id),
        [next.id, run]
      )
      const walked: Array<string> = []
      let cursor: string | null | undefined
      do {
        const page = await client.runs.list({ cursor: cursor ?? null, limit: 2 })
        walked.push(...page.runs.map(({ id }) => id))
        assert.strictEqual(page.hasMore, typeof page.nextCursor === "string")
        cursor = page.nextCursor
      } while (typeof cursor === "string")
      assert.includeMembers(walked, [run, next.id])
      assert.lengthOf(walked, new Set(walked).size)
      await client.runs.cancel(run)
      assert.strictEqual((await client.runs.waitForCompletion(next.id, { interval: 5 })).status, "completed")
    })

    it("reads and lists sessions", async () => {
      const { run, session } = await busy()
      const info = await client.sessions.get(session)
      assert.deepInclude(info, { sessionId: session, latestRunId: run, workspaceId: null, title: info.task })
      const { hasMore, sessions } = await client.sessions.list({ limit: 1 })
      assert.deepInclude(sessions[0], { sessionId: session, latestRunId: run })
      assert.isTrue(hasMore)
    })

    it("queues messages, reads and removes them", async () => {
      const { run, session } = await busy()
      const first = await client.sessions.sendMessage(session, { text: "one", interrupt: false })
      assert.deepInclude(first, { sessionId: session, mode: "queue", status: "pending", text: "one" })
      assert.isNumber(first.id)
      const deduplicated = await client.sessions.sendMessage(
        session,
        { text: "one", interrupt: false },
        { deduplicate: "exact-text-v1" }
      )
      assert.strictEqual(deduplicated.id, first.id)
      const second = await client.sessions.sendMessage(session, { text: "two", interrupt: false })
      assert.deepStrictEqual(
        (await client.sessions.queue(session)).queue.map(({ id }) => id),
        [first.id, second.id]
      )
      assert.strictEqual((await client.sessions.removeMessage(session, first.id)).status, "cancelled")
      assert.strictEqual((await client.sessions.getMessage(session, first.id)).status, "cancelled")
      await client.runs.cancel(run)
      const runId = (await client.sessions.getMessage(session, second.id)).runId ?? ""
      assert.strictEqual((await client.runs.waitForCompletion(runId, { interval: 5 })).task, "two")
      assert.strictEqual((await client.sessions.getMessage(session, second.id)).status, "consumed")
      assert.strictEqual((await refusal(client.sessions.removeMessage(session, second.id)))[0], 409)
    })

    it("interrupts a run with a message", async () => {
      const { run, session } = await busy()
      const message = await client.sessions.sendMessage(session, { text: "now", interrupt: true })
      assert.strictEqual(message.mode, "interrupt")
      assert.strictEqual((await client.runs.waitForCompletion(run, { interval: 5 })).status, "cancelled")
      await client.runs.waitForCompletion(message.runId ?? "", { interval: 5 })
    })

    it("purges a session", async () => {
      const { run, session } = await busy()
      assert.isUndefined(await client.sessions.purge(session))
      assert.deepStrictEqual(await refusal(client.sessions.get(session)), [404, "Session not found"])
      assert.deepStrictEqual(await refusal(client.runs.get(run)), [404, "Run not found"])
    })

    it("creates and stops a browser, with every field", async () => {
      const browser = await client.browsers.create({
        proxyCountryCode: null,
        solveCaptchas: false,
        enableRecording: false,
        pdfRendererEnabled: true
      })
      assert.strictEqual(browser.status, "active")
      assert.match(browser.cdpUrl ?? "", /^ws:/u)
      assert.hasAllKeys(
        Object.fromEntries(
          Object.keys(browser)
            .filter((key) => key !== "proxyCountryCode")
            .map((key) => [key, 1])
        ),
        [
          "id",
          "status",
          "liveUrl",
          "cdpUrl",
          "timeoutAt",
          "startedAt",
          "finishedAt",
          "proxyUsedMb",
          "proxyCost",
          "browserCost",
          "agentSessionId",
          "recordingUrl",
          "recordingAvailable",
          "metadata"
        ]
      )
      const stopped = await client.browsers.stop(browser.id)
      assert.deepInclude(stopped, { id: browser.id, status: "stopped", cdpUrl: null })
    })

    it("keeps files in a workspace", async () => {
      const folder = mkdtempSync(join(tmpdir(), "workspace-"))
      const path = join(folder, "data.csv")
      writeFileSync(path, "a,b\n1,2\n")
      const { id } = await client.workspaces.create({ name: "mine" })
      assert.strictEqual((await client.workspaces.get(id)).name, "mine")
      assert.isNull((await client.workspaces.update(id, { name: null })).name)
      const [uploaded] = await client.workspaces.upload(id, path)
      assert.strictEqual(uploaded?.name, "data.csv")
      const { files } = await client.workspaces.files(id, { includeUrls: true })
      assert.deepStrictEqual(
        files.map((file) => [file.path, file.size]),
        [[uploaded?.path, 8]]
      )
      assert.strictEqual(await (await fetch(files[0]?.url ?? "")).text(), "a,b\n1,2\n")
      assert.strictEqual((await client.workspaces.size(id)).usedBytes, 8)
      await client.workspaces.deleteFile(id, uploaded?.path ?? "")
      assert.lengthOf((await client.workspaces.files(id)).files, 0)
      await client.workspaces.delete(id)
      assert.isTrue((await client.workspaces.get(id)).archived)
      rmSync(folder, { recursive: true })
    })

    it("gets the status and the detail of each error", async () => {
      const { session } = await busy()
      assert.deepStrictEqual(await refusal(client.runs.cancel(unknown)), [404, "Run not found"])
      assert.deepStrictEqual(await refusal(client.runs.events(unknown)), [404, "Run not found"])
      assert.deepStrictEqual(await refusal(client.runs.attachments(unknown)), [404, "Run not found"])
      assert.deepStrictEqual(await refusal(client.sessions.queue(unknown)), [404, "Session not found"])
      assert.deepStrictEqual(await refusal(client.sessions.getMessage(session, 9)), [404, "Message not found"])
      assert.deepStrictEqual(await refusal(client.browsers.stop(unknown)), [404, "Browser not found"])
      assert.strictEqual((await refusal(client.runs.create({ task: "t", sessionId: unknown })))[0], 404)
      assert.strictEqual((await refusal(client.runs.list({ limit: 101 })))[0], 422)
      assert.strictEqual((await refusal(client.sessions.list({ cursor: "x" })))[0], 400)
      const [status, message] = await refusal(
        client.browsers.create({ customProxy: { host: "proxy.example", port: 8080, ignoreCertErrors: false } })
      )
      assert.strictEqual(status, 422)
      assert.include(message, "customProxy")
      const stranger = new BrowserUse({ baseUrl: `${service.address}/api/v4`, apiKey: "wak_wrong" })
      assert.deepStrictEqual(await refusal(stranger.runs.list()), [401, "Invalid API key"])
    })

    it("creates a run with each option that the service honors", async () => {
      const { id: workspaceId } = await client.workspaces.create({ name: "options" })
      const options = {
        task: "Sign in [simulate output=done]",
        model: "claude-opus-5",
        modelParams: { thinking: { type: "adaptive" } },
        judge: { context: "Be strict" },
        maxCostUsd: "2.50"
      } as const
      const created = await client.runs.create({
        ...options,
        secretBindings: [
          { alias: "pin", source: { type: "inline", value: "canary-hunter2" }, allowedDomains: ["shop.example"] }
        ],
        workspaceId,
        agentmail: false,
        browserSettings: { proxyCountryCode: null, record: true, screenWidth: 800, screenHeight: 600 }
      })
      const run = await client.runs.waitForCompletion(created.id, { interval: 5 })
      assert.deepInclude(run, {
        task: options.task,
        model: options.model,
        status: "completed",
        workspaceId,
        modelParams: options.modelParams,
        judge: { context: "Be strict", model: null },
        maxCostUsd: "2.50",
        secretBindings: [{ alias: "pin", source: { type: "inline" }, allowedDomains: ["shop.example"] }]
      } as object)
      assert.notInclude(JSON.stringify(run), "canary-hunter2")
    })

    /** A client with a new key that has these scopes and may have one unfinished run. */
    const limited = async (name: string, scopes: ReadonlyArray<string>) => {
      const response = await fetch(service.admin.keys, {
        method: "POST",
        headers: { "content-type": "application/json", [apiKeyHeader]: service.admin.apiKey },
        body: JSON.stringify({
          name,
          scopes,
          limits: { runs: 1, browsers: null, requestsPerMinute: null, usdPerDay: null }
        })
      })
      assert.strictEqual(response.status, 201)
      const { secret } = (await response.json()) as { readonly secret: string }
      return new BrowserUse({ baseUrl: `${service.address}/api/v4`, apiKey: secret, maxRetries: 0 })
    }

    it("gets 403 with a key that lacks the scope", async () => {
      const reader = await limited("reader", ["read"])
      assert.deepStrictEqual((await reader.runs.list()).runs, [])
      assert.deepStrictEqual(await refusal(reader.runs.create({ task: "t" })), [
        403,
        "This API key lacks the scope runs"
      ])
    })

    it("gets 429 with a key at its limit of runs", async () => {
      const one = await limited("one", ["read", "runs"])
      const { id } = await one.runs.create({ task: "[simulate duration=1h]" })
      assert.deepStrictEqual((await refusal(one.runs.create({ task: "t" })))[0], 429)
      await one.runs.cancel(id)
      await one.runs.cancel((await one.runs.create({ task: "[simulate duration=1h]" })).id)
    })

    it("runs every method of the client, and each response has every field of its type", () => {
      assert.deepStrictEqual(calls.missing(), [])
      assert.deepStrictEqual(calls.differences(different), [])
      assert.isAtLeast(calls.compared(), 10)
    })
  })
}

describe("the published v4 client of an account without credit", () => {
  it("gets 402", async () => {
    const when = { operations: ["v4.createRun" as const] }
    const detail = "Add credit to your account"
    await using service = await simulate({
      apiKeyHeader,
      faults: [{ name: "no-credit", fault: { kind: "status", status: 402, detail }, when }]
    })
    const client = new BrowserUse({ baseUrl: `${service.address}/api/v4`, apiKey: service.apiKey })
    assert.deepStrictEqual(await refusal(client.runs.create({ task: "t" })), [402, detail])
    assert.deepStrictEqual((await client.runs.list()).runs, [])
  })
})
