import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { createServer } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { type BaseImages, composeStandIns } from "./BaseImages.ts"
import { key, request } from "./Container.ts"
import { type Engine, need, run } from "./Engine.ts"
import { Lacking } from "./Report.ts"

const address = "http://127.0.0.1:8080"
const creates = 200

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => server.close(() => resolve(true)))
  })

/** Returns a function that runs Compose with some files, in a project of this test. */
const composeWith = async (engine: Engine, files: ReadonlyArray<string>) => {
  if (engine.compose === null)
    throw new Lacking(`${engine.name} has no Compose: install the package ${engine.name}-compose.`)
  const command = [...engine.compose, "--project-name", "webagent-test", ...files.flatMap((file) => ["--file", file])]
  const env = { POSTGRES_PASSWORD: "0123456789abcdef", WEBAGENT_API_KEY: key }
  const down = () => run([...command, "down", "--volumes", "--timeout", "5"], { env })
  // a killed run may have left its containers
  await down()
  if (!(await isFree(8080))) throw new Lacking("port 8080 of this machine, which the Compose files use, is taken.")
  return {
    compose: (signal: AbortSignal, ...args: ReadonlyArray<string>) => need([...command, ...args], { env, signal }),
    down
  }
}

/** Waits until the proxy, or a server, is ready. */
const ready = async (signal: AbortSignal): Promise<void> => {
  for (;;) {
    const response = await fetch(`${address}/ready`).catch(() => undefined)
    if (response?.status === 200) return
    signal.throwIfAborted()
    await sleep(250)
  }
}

/** Creates at least `creates` runs, and continues until it is stopped. If a response is lost, it repeats the create with its key, as clients do. */
const createWhile = async (isGoing: () => boolean) => {
  const [ids, refused] = [new Set<string>(), new Array<string>()]
  let [started, repeated] = [0, 0]
  const worker = async () => {
    while (started < creates || isGoing()) {
      // a repeated create has to have the same body
      const task = `Run ${++started}`
      const headers = { "Idempotency-Key": randomUUID() }
      const once = () => request(address, "POST", "/api/v4/runs", { body: { task }, headers })
      let response = await once().catch(() => undefined)
      for (let attempt = 0; attempt < 5 && (response === undefined || response.status >= 502); attempt++) {
        repeated++
        await sleep(500)
        response = await once().catch(() => undefined)
      }
      if (response?.status === 201) ids.add(response.body.id)
      else refused.push(`${response?.status ?? "no response"} ${JSON.stringify(response?.body)}`)
      await sleep(100)
    }
  }
  await Promise.all([worker(), worker(), worker(), worker()])
  return { ids, refused, repeated }
}

/** Starts three nodes with Postgres and HAProxy. Restarts each node and kills one while clients create runs. */
export const testNodes = async (engine: Engine, base: BaseImages, signal: AbortSignal): Promise<string> => {
  const files = ["deploy/compose/compose.yaml", ...(base.areStandIns ? [await composeStandIns(engine, signal)] : [])]
  const { compose, down } = await composeWith(engine, files)
  const nodes = ["node-1", "node-2", "node-3"]
  try {
    await compose(signal, "up", "--detach", "proxy", ...nodes)
    await ready(signal)
    let isGoing = true
    const creating = createWhile(() => isGoing)
    const healthy = async (node: string) => {
      const id = await compose(signal, "ps", "--quiet", node)
      const status = () => need([engine.name, "inspect", "--format", "{{.State.Health.Status}}", id])
      while ((await status()) !== "healthy") await sleep(500, undefined, { signal })
    }
    try {
      for (const node of nodes) await healthy(node)
      for (const node of nodes) {
        await compose(signal, "restart", "--timeout", "45", node)
        await healthy(node)
      }
      await compose(signal, "kill", "node-2")
      await sleep(6000)
      await compose(signal, "up", "--detach", "--no-deps", "node-2")
      await healthy("node-2")
    } finally {
      isGoing = false
    }
    const { ids, refused, repeated } = await creating
    assert.deepEqual(refused, [])
    const lost: Array<string> = []
    for (const id of ids) {
      const { status } = await request(address, "GET", `/api/v4/runs/${id}/status`)
      if (status !== 200) lost.push(id)
    }
    assert.deepEqual(lost, [])
    const standIns = base.areStandIns ? " (stand-ins for Postgres and HAProxy)" : ""
    return `3 nodes${standIns}: each restarted and one killed during ${ids.size} creates, 0 lost, 0 refused, ${repeated} repeated after a lost response`
  } finally {
    await down()
  }
}

/** Starts one server with the two commands of the guide: a key, and up. */
export const testOneServer = async (engine: Engine, signal: AbortSignal): Promise<string> => {
  const { compose, down } = await composeWith(engine, ["deploy/compose/one-server.yaml"])
  if (/version 1\./u.test(await compose(signal, "version")))
    throw new Lacking("the file one-server.yaml needs Compose 2; this is Compose 1.")
  try {
    const printed = await compose(signal, "run", "--rm", "server", "keys", "create", "--name", "me")
    const [created = ""] = /wak_\S+/u.exec(printed) ?? []
    await compose(signal, "up", "--detach", "--wait")
    assert.equal((await fetch(`${address}/console`)).status, 200)
    const { status, body } = await request(address, "POST", "/api/v4/browsers", { body: {}, key: created })
    assert.equal(status, 201, JSON.stringify(body))
    const { body: health } = await request(address, "GET", "/health", { key: created })
    return `two commands start v4 with ${health.browsers.sentence.split(".")[0]} and isolation ${health.browsers.isolation}, and its console opens`
  } finally {
    await down()
  }
}
