import { type ChildProcess, spawn } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { json } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"
import { endOf } from "./Engine.ts"

/** An object of Kubernetes. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  // oxlint-disable-next-line typescript/no-explicit-any -- specs of several kinds
  readonly spec?: any
}

/** Response of an API server. */
export interface Reply {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- objects of several kinds
  readonly body: any
  /** Warnings of the server, for example about a field that the Pod Security level refuses. */
  readonly warnings: ReadonlyArray<string>
}

/** An API server of Kubernetes with its database, on this machine. It has no nodes, so no pods run. */
export interface ApiServer extends AsyncDisposable {
  readonly version: string
  /** Creates an object, and refuses fields that its description doesn't have. */
  readonly create: (object: Manifest, namespace?: string) => Promise<Reply>
  /** Changes an object as `kubectl patch` does. */
  readonly patch: (object: Manifest, namespace: string, change: object) => Promise<Reply>
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : 0
}

const token = "admin"
const merge = "application/strategic-merge-patch+json"

/** Sends a request to the API server with this certificate. */
const send = async (
  address: string,
  ca: string,
  method: string,
  path: string,
  body?: object,
  type = "application/json"
): Promise<Reply> => {
  const headers = { authorization: `Bearer ${token}`, accept: "application/json", "content-type": type }
  const sent = request(address + path, { method, headers, ca, timeout: 20_000 })
  sent.on("timeout", () => sent.destroy(new Error(`${method} ${path} got no response`)))
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  const [response] = await once(sent, "response")
  const warning: ReadonlyArray<string> = response.headersDistinct.warning ?? []
  return { status: response.statusCode, body: await json(response), warnings: warning }
}

/** Starts a server and waits until it is ready. `signal` ends the wait. */
export const startApiServer = async (
  programs: { readonly apiServer: string; readonly etcd: string },
  signal: AbortSignal
): Promise<ApiServer> => {
  const folder = mkdtempSync(join(tmpdir(), "webagent-cluster-"))
  const children: Array<ChildProcess> = []
  let log = ""
  const start = (program: string, args: Readonly<Record<string, string>>) => {
    const flags = Object.entries(args).map(([name, value]) => `--${name}=${value}`)
    const child = spawn(program, flags, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] })
    child.on("error", ({ message }) => (log += message))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (log = (log + text).slice(-4000)))
    children.push(child)
  }
  const dispose = async () => {
    const running = children.filter(
      ({ exitCode, pid, signalCode }) => pid !== undefined && exitCode === null && signalCode === null
    )
    await Promise.all(
      running.map((child) => {
        child.kill("SIGKILL")
        return once(child, "exit")
      })
    )
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const [etcd, peer, port] = [await freePort(), await freePort(), await freePort()]
    const [database, address] = [`http://127.0.0.1:${etcd}`, `https://127.0.0.1:${port}`]
    start(programs.etcd, {
      "data-dir": join(folder, "etcd"),
      "listen-client-urls": database,
      "advertise-client-urls": database,
      "listen-peer-urls": `http://127.0.0.1:${peer}`
    })
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
    writeFileSync(join(folder, "key.pem"), privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
    writeFileSync(join(folder, "tokens"), `${token},admin,admin,system:masters\n`, { mode: 0o600 })
    start(programs.apiServer, {
      "etcd-servers": database,
      "secure-port": String(port),
      "bind-address": "127.0.0.1",
      "cert-dir": folder,
      "service-cluster-ip-range": "10.96.0.0/16",
      "authorization-mode": "RBAC",
      "token-auth-file": join(folder, "tokens"),
      "service-account-issuer": "https://localhost",
      "service-account-key-file": join(folder, "key.pem"),
      "service-account-signing-key-file": join(folder, "key.pem"),
      // a controller would create them
      "disable-admission-plugins": "ServiceAccount"
    })
    const certificate = join(folder, "apiserver.crt")
    const call = async (method: string, path: string, body?: object, type?: string) =>
      send(address, readFileSync(certificate, "utf8"), method, path, body, type)
    const version = async (): Promise<string | undefined> => {
      const { body, status } = await call("GET", "/api/v1/namespaces/default").catch(() => ({ status: 0, body: null }))
      return status === 200 && body !== null ? (await call("GET", "/version")).body.gitVersion : undefined
    }
    let current = await version()
    while (current === undefined) {
      const ended = children.some(({ exitCode, pid }) => pid === undefined || exitCode !== null)
      if (signal.aborted || ended) throw new Error(`the API server does not start:\n${endOf(log)}`)
      await sleep(200)
      current = await version()
    }
    const pathOf = async ({ apiVersion, kind }: Manifest, namespace?: string): Promise<string> => {
      const base = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`
      const { body } = await call("GET", base)
      const resources: ReadonlyArray<{ readonly kind: string; readonly name: string }> = body.resources ?? []
      const resource = resources.find((one) => one.kind === kind && !one.name.includes("/"))
      if (resource === undefined) throw new Error(`the API server has no ${kind} in ${apiVersion}`)
      return `${base}${namespace === undefined ? "" : `/namespaces/${namespace}`}/${resource.name}`
    }
    return {
      version: current,
      create: async (object, namespace) =>
        call("POST", `${await pathOf(object, namespace)}?fieldValidation=Strict`, object),
      patch: async (object, namespace, change) => {
        const path = `${await pathOf(object, namespace)}/${object.metadata.name}`
        return call("PATCH", `${path}?fieldValidation=Strict`, change, merge)
      },
      [Symbol.asyncDispose]: dispose
    }
  } catch (error) {
    await dispose()
    throw error
  }
}
