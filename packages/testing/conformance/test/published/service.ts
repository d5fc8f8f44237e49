import { simulate } from "@webagent/simulation"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

/** The header in which the published client sends the key. */
export const apiKeyHeader = "X-Browser-Use-API-Key"

/** A service that runs on a socket of this machine. */
export interface Service extends AsyncDisposable {
  readonly address: string
  readonly apiKey: string
  /** Where keys are created, and the key for it. */
  readonly admin: { readonly keys: string; readonly apiKey: string }
}

const simulator = async (): Promise<Service> => {
  const service = await simulate({ apiKeyHeader })
  return {
    address: service.address,
    apiKey: service.apiKey,
    // the console of a simulator on this machine is open
    admin: { keys: `${service.address}/console/api/keys`, apiKey: service.apiKey },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]()
  }
}

const main = fileURLToPath(new URL("../../../../../apps/server/src/main.ts", import.meta.url))

/** `webagent-server` as a process of its own, over a database file. */
const server = async (): Promise<Service> => {
  const folder = mkdtempSync(join(tmpdir(), "published-"))
  const apiKey = "wak_published"
  const adminKey = "wak_published_admin"
  const flags = ["--port", "0", "--data", join(folder, "runs.db"), "--turn-duration", "5 millis"]
  const keys = ["--api-key", apiKey, "--admin-key", adminKey, "--api-key-header", apiKeyHeader]
  const child = spawn(process.execPath, ["--conditions=@webagent/source", main, "serve", ...flags, ...keys], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const exited = once(child, "exit")
  let address = ""
  for await (const line of createInterface({ input: child.stdout })) {
    address = /^v4\s+(http:\S+)\/api\/v4$/u.exec(line)?.[1] ?? ""
    if (address !== "") break
  }
  return {
    address,
    apiKey,
    admin: { keys: `${address}/admin/v1/keys`, apiKey: adminKey },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM")
      await exited
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** The services that the published client is tested against. */
export const services = { "the simulator": simulator, "webagent-server over a file": server } as const
