import { assert, describe, it } from "@effect/vitest"
import { BrowserUse, BrowserUseError } from "browser-use-sdk"
import { afterAll, beforeAll } from "vitest"
import { type Service, services } from "./service.ts"

const unknown = "00000000-0000-4000-8000-00000000ffff"

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
    beforeAll(async () => {
      service = await start()
      client = new BrowserUse({ baseUrl: `${service.address}/api/v2`, apiKey: service.apiKey })
    }, 60_000)
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
  })
}
