import { setTimeout as sleep } from "node:timers/promises"
import { endOf, type Engine, need, run } from "./Engine.ts"

/** Flags of a hardened container: a root that can't be written, no capabilities, no new privileges. */
export const hardened: ReadonlyArray<string> =
  "--read-only --tmpfs /tmp:size=512m,mode=1777 --cap-drop ALL --security-opt no-new-privileges".split(" ")

/** The API key of servers in this test. */
export const key = `wak_${"0123456789abcdef".repeat(3)}`

/** A container that is removed at the end. */
export interface Container extends AsyncDisposable {
  readonly name: string
  /** Address of its port 8080 on this machine. */
  readonly address: string
  readonly logs: () => Promise<string>
}

const prefix = `webagent-test-${process.pid}`
let count = 0

/** Returns a new name for a container or a volume of this test. */
export const newName = (): string => `${prefix}-${++count}`

/** Creates a volume that is removed at the end. */
export const makeVolume = async (engine: Engine): Promise<{ readonly name: string } & AsyncDisposable> => {
  const name = newName()
  await need([engine.name, "volume", "create", name])
  return {
    name,
    async [Symbol.asyncDispose]() {
      await run([engine.name, "volume", "rm", "--force", name])
    }
  }
}

const startTimeout_ms = 120_000

/** Starts a server in a container, and waits until it is ready. Fails with its log if it exits. */
export const startServer = async (
  engine: Engine,
  image: string,
  options: ReadonlyArray<string>,
  signal: AbortSignal
): Promise<Container> => {
  const name = newName()
  const remove = async () => void (await run([engine.name, "rm", "--force", "--volumes", name]))
  const logs = async () => (await run([engine.name, "logs", name])).text
  try {
    await need([engine.name, "run", "--detach", "--name", name, "--publish", "127.0.0.1::8080", ...options, image], {
      signal
    })
    const [, port = ""] = /:(\d+)\s*$/u.exec(await need([engine.name, "port", name, "8080"])) ?? []
    const address = `http://127.0.0.1:${port}`
    const end = Date.now() + startTimeout_ms
    for (;;) {
      const response = await fetch(`${address}/ready`).catch(() => undefined)
      if (response?.status === 200) return { name, address, logs, [Symbol.asyncDispose]: remove }
      const isRunning = await need([engine.name, "inspect", "--format", "{{.State.Running}}", name])
      if (isRunning !== "true") throw new Error(`${image} exited:\n${endOf(await logs())}`)
      if (Date.now() > end || signal.aborted) throw new Error(`${image} is not ready:\n${endOf(await logs())}`)
      await sleep(200)
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Response of a server: the status, and the body as JSON. */
export interface Response {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- bodies of several operations
  readonly body: any
}

/** Sends a request with the key to a server. */
export const request = async (
  address: string,
  method: string,
  path: string,
  {
    body,
    headers = {},
    key: apiKey = key
  }: { readonly body?: object; readonly headers?: Record<string, string>; readonly key?: string } = {}
): Promise<Response> => {
  const response = await fetch(address + path, {
    method,
    headers: { "X-Service-API-Key": apiKey, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000)
  })
  const text = await response.text()
  return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text }
}
