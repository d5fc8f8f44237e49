import { assert, describe, it } from "@effect/vitest"
import { BrowserUse, BrowserUseError } from "browser-use-sdk"
import { afterAll, beforeAll } from "vitest"
import { type Exercised, exercised } from "./Exercised.ts"
import { type Service, services } from "./service.ts"

const unknown = "00000000-0000-4000-8000-00000000ffff"

/** The methods that this version of our service doesn't offer: each is one of a later version, or of another product. */
const notCommon = {
  "files.browserUrl": "files are in the workspaces of v3 and v4",
  "files.sessionUrl": "files are in the workspaces of v3 and v4",
  "files.taskOutput": "files are in the workspaces of v3 and v4",
  "tasks.logs": "a file of the hosted service's own agent",
  ...Object.fromEntries(
    ["clone", "execute", "get", "list"].map((name) => [`marketplace.${name}`, "a product of the hosted service"])
  ),
  ...Object.fromEntries(
    [
      "cancel",
      "create",
      "delete",
      "execute",
      "executionOutput",
      "executions",
      "get",
      "list",
      "refine",
      "rollback",
      "update"
    ].map((name) => [`skills.${name}`, "a product of the hosted service"])
  )
}

/** The fields of our responses that differ from the client's types, with the reason. */
const different = {
  additionalCreditsBalanceUsd: "null is unlimited",
  projectId: "no server of ours has projects",
  rateLimit: "null is unlimited",
  totalCreditsBalanceUsd: "null is unlimited",
  timeoutAt: "a browser without a timeout has no such time",
  viewCount: "our server doesn't count views"
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
  describe(`the published v2 client against ${name}`, () => {
    let service: Service
    let client: BrowserUse
    let calls: Exercised
    beforeAll(async () => {
      service = await start()
      client = new BrowserUse({ baseUrl: `${service.address}/api/v2`, apiKey: service.apiKey })
      calls = exercised(client, "browser-use-sdk")
    })
    afterAll(() => service[Symbol.asyncDispose]())

    it("runs a task and reads its output", async () => {
      const run = client.run("Find a mug [simulate output=found cost=0.42]", { interval: 5 })
      const task = await run
      assert.strictEqual(task.id, run.taskId)
      assert.deepInclude(task, { output: "found", status: "finished", cost: "0.42", outputFiles: [] })
      assert.isArray(task.steps)
      assert.deepInclude(await client.tasks.status(task.id), { id: task.id, status: "finished", output: "found" })
    })

    it("runs tasks of one session, lists and stops them", async () => {
      const session = await client.sessions.create({ keepAlive: true, persistMemory: false })
      assert.deepInclude(session, { status: "active", keepAlive: true, persistMemory: false })
      const { id, sessionId } = await client.tasks.create({ task: "[simulate duration=1h]", sessionId: session.id })
      assert.strictEqual(sessionId, session.id)
      const list = await client.tasks.list({ sessionId: session.id, pageSize: 10, pageNumber: 1 })
      assert.deepStrictEqual([list.items.map((item) => item.id), list.pageNumber], [[id], 1])
      assert.strictEqual((await client.tasks.stop(id)).status, "stopped")
      assert.deepStrictEqual(
        (await client.sessions.get(session.id)).tasks.map((task) => [task.id, task.status]),
        [[id, "stopped"]]
      )
      const other = await client.tasks.create({ task: "[simulate duration=1h]" })
      assert.strictEqual((await client.tasks.stopTaskAndSession(other.id)).status, "stopped")
      assert.strictEqual((await client.sessions.get(other.sessionId)).status, "stopped")
    })

    it("lists, shares, stops and deletes sessions", async () => {
      const { sessionId } = await client.tasks.create({ task: "[simulate output=found]" })
      const { items, totalItems } = await client.sessions.list({ pageSize: 1, filterBy: "active" })
      assert.isAtLeast(totalItems, 1)
      assert.lengthOf(items, 1)
      assert.deepStrictEqual(await refusal(client.sessions.getShare(sessionId)), [404, "Public share not found"])
      const share = await client.sessions.createShare(sessionId)
      assert.deepStrictEqual(await client.sessions.getShare(sessionId), share)
      assert.strictEqual((await fetch(share.shareUrl)).status, 200)
      await client.sessions.deleteShare(sessionId)
      assert.strictEqual((await fetch(share.shareUrl)).status, 404)
      assert.strictEqual((await client.sessions.stop(sessionId)).status, "stopped")
      await client.sessions.delete(sessionId)
      assert.deepStrictEqual(await refusal(client.sessions.get(sessionId)), [404, "Session not found"])
      assert.deepStrictEqual(await refusal(client.sessions.purge(unknown)), [404, "Session not found"])
    })

    it("refuses an unknown task and an option that can't be honored", async () => {
      assert.deepStrictEqual(await refusal(client.tasks.get(unknown)), [404, "Task not found"])
      assert.strictEqual((await refusal(client.tasks.create({ task: "t", secrets: { password: "x" } })))[0], 422)
    })

    it("updates and waits for tasks, updates and purges sessions", async () => {
      const { id, sessionId } = await client.tasks.create({ task: "[simulate output=found]" })
      assert.strictEqual((await client.tasks.wait(id, { interval: 5 })).output, "found")
      assert.strictEqual((await client.tasks.update(id, { action: "stop" })).status, "finished")
      assert.strictEqual((await client.sessions.update(sessionId, { action: "stop" })).status, "stopped")
      await client.sessions.purge(sessionId)
      assert.deepStrictEqual(await refusal(client.sessions.get(sessionId)), [404, "Session not found"])
    })

    it("creates, lists, reads and stops browsers", async () => {
      const profile = await client.profiles.create({ name: "Work", userId: "u-1" })
      const browser = await client.browsers.create({ profileId: profile.id, enableRecording: false })
      assert.match(String(browser.cdpUrl), /^ws:/u)
      assert.deepInclude(await client.browsers.get(browser.id), { id: browser.id, status: "active" })
      const list = await client.browsers.list({ pageSize: 1, pageNumber: 1, filterBy: "active" })
      assert.deepStrictEqual([list.items.map(({ id }) => id), list.pageSize], [[browser.id], 1])
      assert.deepStrictEqual((await client.browsers.downloads(browser.id, { limit: 10 })).files, [])
      assert.deepInclude(await client.browsers.stop(browser.id), { status: "stopped", cdpUrl: null })
      assert.strictEqual((await client.browsers.update(browser.id, { action: "stop" })).status, "stopped")
      assert.deepStrictEqual(await refusal(client.browsers.get(unknown)), [404, "Browser not found"])
      assert.deepStrictEqual(await refusal(client.browsers.create({ profileId: unknown })), [404, "Profile not found"])
    })

    it("creates, finds, changes and deletes profiles, and reads the account", async () => {
      const { id } = await client.profiles.create({ name: "Shop" })
      assert.deepInclude(await client.profiles.get(id), { id, name: "Shop", userId: null })
      const list = await client.profiles.list({ query: "sho", pageNumber: 1, pageSize: 5 })
      assert.deepStrictEqual([list.items.map((item) => item.id), list.totalItems], [[id], 1])
      assert.strictEqual((await client.profiles.update(id, { name: "Store" })).name, "Store")
      await client.profiles.delete(id)
      assert.deepStrictEqual(await refusal(client.profiles.get(id)), [404, "Profile not found"])
      const account = await client.billing.account()
      assert.deepStrictEqual([account.planInfo.planName, account.isFreeTier], ["none", false])
    })

    it("runs every common method of the client, and each response has every field of its type", () => {
      assert.deepStrictEqual(calls.missing(), Object.keys(notCommon).toSorted())
      assert.deepStrictEqual(calls.differences(different), [])
      assert.isAtLeast(calls.compared(), 10)
    })
  })
}
