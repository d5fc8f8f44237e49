import { assert, describe, it } from "@effect/vitest"
import { BrowserUse, BrowserUseError } from "browser-use-sdk/v3"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { type Exercised, exercised } from "./Exercised.ts"
import { apiKeyHeader, type Service, services } from "./service.ts"

const unknown = "00000000-0000-4000-8000-00000000ffff"

/** The fields of our responses that differ from the client's types, with the reason. */
const different = {
  additionalCreditsBalanceUsd: "null is unlimited",
  projectId: "no server of ours has projects",
  rateLimit: "null is unlimited",
  totalCreditsBalanceUsd: "null is unlimited",
  timeoutAt: "a browser without a timeout has no such time",
  llmCostUsd: "an unknown cost is not 0",
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
  describe(`the published v3 client against ${name}`, () => {
    let service: Service
    let client: BrowserUse
    let calls: Exercised
    beforeAll(async () => {
      service = await start()
      client = new BrowserUse({ baseUrl: `${service.address}/api/v3`, apiKey: service.apiKey })
      calls = exercised(client, "browser-use-sdk/v3")
    })
    afterAll(() => service[Symbol.asyncDispose]())

    it("runs a task and reads its output, its cost and its messages", async () => {
      const run = client.run("Find a mug [simulate output=found cost=0.42]", { interval: 5 })
      const session = await run
      assert.deepInclude(session, {
        output: "found",
        status: "idle",
        totalCostUsd: "0.42",
        browserCostUsd: "0",
        isTaskSuccessful: true
      })
      assert.strictEqual(session.id, run.sessionId)
      const { hasMore, messages } = await client.sessions.messages(session.id, { limit: 100 })
      assert.isFalse(hasMore)
      assert.deepInclude(messages[0], { role: "user", sessionId: session.id, hidden: false })
      assert.deepInclude(messages.at(-1), { role: "ai", type: "completion", summary: "found" })
      const after = await client.sessions.messages(session.id, { after: messages[0]?.id ?? null })
      assert.deepStrictEqual(after.messages, messages.slice(1))
    })

    it("yields a run's messages while it is running", async () => {
      const run = client.run("[simulate output=done]", { interval: 5 })
      const roles: Array<string> = []
      for await (const message of run) roles.push(message.role)
      assert.strictEqual(roles[0], "user")
      assert.strictEqual(run.result?.output, "done")
    })

    it("lists, stops, continues and deletes sessions", async () => {
      const { id } = await client.sessions.create({ task: "[simulate duration=1h]" })
      const { page, pageSize, sessions, total } = await client.sessions.list({ page: 1, page_size: 1 })
      assert.deepStrictEqual([page, pageSize, sessions[0]?.id], [1, 1, id])
      assert.isAtLeast(total, 1)
      const kept = await client.sessions.stop(id, { strategy: "task" })
      assert.strictEqual(kept.id, id)
      const next = await client.sessions.create({ task: "[simulate output=again]", sessionId: id })
      assert.strictEqual(next.id, id)
      const stopped = await client.sessions.stop(id)
      assert.strictEqual(stopped.status, "stopped")
      assert.strictEqual(await client.sessions.delete(id), undefined)
      assert.deepStrictEqual(await refusal(client.sessions.get(id)), [404, "Session not found"])
    })

    it("creates, lists, reads and stops browsers", async () => {
      const browser = await client.browsers.create({ enableRecording: false })
      assert.match(String(browser.cdpUrl), /^ws:/u)
      assert.deepInclude(await client.browsers.get(browser.id), {
        id: browser.id,
        status: "active",
        metadata: {},
        recordingAvailable: false
      })
      const list = await client.browsers.list({ pageSize: 1, pageNumber: 1, filterBy: "active" })
      assert.deepInclude(list.items[0], { id: browser.id })
      assert.deepStrictEqual((await client.browsers.downloads(browser.id, { limit: 10 })).files, [])
      assert.deepInclude(await client.browsers.stop(browser.id), { status: "stopped", cdpUrl: null })
      assert.deepStrictEqual(await refusal(client.browsers.get(unknown)), [404, "Browser not found"])
    })

    it("reads the account", async () => {
      const account = await client.billing.account()
      assert.isNumber(Reflect.get(account, "usedTodayUsd"))
      assert.deepStrictEqual([account.planInfo.planName, account.planInfo.subscriptionStatus], ["none", null])
    })

    it("refuses a wrong key and an option that can't be honored", async () => {
      const stranger = new BrowserUse({ baseUrl: `${service.address}/api/v3`, apiKey: "wrong" })
      assert.strictEqual((await refusal(stranger.sessions.list()))[0], 401)
      assert.strictEqual((await refusal(client.sessions.create({ task: "t", workspaceId: unknown })))[0], 422)
    })

    it("creates, finds, changes and deletes profiles", async () => {
      const profile = await client.profiles.create({ name: "Work", userId: "u-1" })
      assert.deepInclude(await client.profiles.get(profile.id), { name: "Work", userId: "u-1" })
      assert.deepInclude(await client.profiles.list({ query: "wor", page: 1, page_size: 5 }), { totalItems: 1 })
      assert.strictEqual((await client.profiles.update(profile.id, { name: "Home" })).name, "Home")
      assert.isNull(profile.lastUsedAt)
      const browser = await client.browsers.create({ profileId: profile.id })
      assert.propertyVal(browser, "profileId", profile.id)
      assert.propertyVal(browser, "profileMode", "write")
      assert.isNotNull((await client.profiles.get(profile.id)).lastUsedAt)
      const saved = await fetch(`${service.address}/api/v4/browsers/${browser.id}`, {
        method: "PATCH",
        headers: { "content-type": "application/json", [apiKeyHeader]: service.apiKey },
        body: JSON.stringify({ action: "save" })
      })
      assert.strictEqual(saved.status, 200)
      await client.browsers.stop(browser.id)
      await client.sessions.create({ task: "[simulate output=1]", profileId: profile.id })
      assert.deepStrictEqual(await refusal(client.browsers.create({ profileId: unknown })), [404, "Profile not found"])
      assert.deepStrictEqual(await refusal(client.sessions.create({ task: "t", profileId: unknown })), [
        404,
        "Profile not found"
      ])
      assert.strictEqual(await client.profiles.delete(profile.id), undefined)
      assert.deepStrictEqual(await refusal(client.profiles.get(profile.id)), [404, "Profile not found"])
    })

    it("uploads files to a workspace and downloads them", async () => {
      const folder = mkdtempSync(join(tmpdir(), "published-files-"))
      const workspace = await client.workspaces.create({ name: "Data" })
      assert.strictEqual((await client.workspaces.get(workspace.id)).name, "Data")
      writeFileSync(join(folder, "a.csv"), "1,2")
      assert.deepStrictEqual(await client.workspaces.upload(workspace.id, join(folder, "a.csv"), { prefix: "in/" }), [
        "in/a.csv"
      ])
      const local = await client.workspaces.download(workspace.id, "in/a.csv", { to: join(folder, "b.csv") })
      assert.strictEqual(readFileSync(local, "utf8"), "1,2")
      const all = await client.workspaces.downloadAll(workspace.id, { to: join(folder, "all") })
      assert.deepStrictEqual(all, [join(folder, "all", "in", "a.csv")])
      assert.deepInclude(await client.workspaces.size(workspace.id), { usedBytes: 3 })
      assert.strictEqual((await client.workspaces.list({ pageSize: 5 })).items[0]?.id, workspace.id)
      assert.strictEqual((await client.workspaces.update(workspace.id, { name: null })).name, null)
      await client.workspaces.deleteFile(workspace.id, "in/a.csv")
      assert.deepStrictEqual((await client.workspaces.files(workspace.id)).files, [])
      await client.workspaces.delete(workspace.id)
      assert.deepStrictEqual(await refusal(client.workspaces.get(workspace.id)), [404, "Workspace not found"])
      rmSync(folder, { recursive: true })
    })

    it("updates a browser, and waits for a session's recording if it has one", async () => {
      const { id } = await client.browsers.create()
      assert.strictEqual((await client.browsers.update(id, { action: "stop" })).status, "stopped")
      const session = await client.run("[simulate output=found]", { interval: 5 })
      assert.deepStrictEqual(await client.sessions.waitForRecording(session.id, { timeout: 20, interval: 5 }), [])
    })

    it("runs every method of the client, and each response has every field of its type", () => {
      assert.deepStrictEqual(calls.missing(), [])
      assert.deepStrictEqual(calls.differences(different), [])
      assert.isAtLeast(calls.compared(), 10)
    })
  })
}
