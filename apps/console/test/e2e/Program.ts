import { type ChildProcess, execFile, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const main = ["--conditions=@webagent/source", `${root}apps/server/src/main.ts`]
const run = promisify(execFile)

/** A server as a program of its own. */
export interface Program {
  readonly address: string
  readonly process: ChildProcess
}

/** Creates a key with the scope admin, and returns its secret. */
export const createKey = async (data: string, name: string) => {
  const flags = ["keys", "create", "--data", data, "--name", name, "--scope", "admin"]
  return (await run(process.execPath, [...main, ...flags])).stdout.trim()
}

interface Surroundings {
  readonly environment?: Readonly<Record<string, string>>
  /** 0 for any that is free. */
  readonly port?: number
}

/** Starts a server; resolves when it listens. */
export const serve = (
  data: string,
  flags: ReadonlyArray<string> = [],
  { environment = {}, port = 0 }: Surroundings = {}
): Promise<Program> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...main, "serve", "--port", `${port}`, "--data", data, ...flags], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "inherit"]
    })
    let text = ""
    child.once("exit", (code) => reject(new Error(`The server ended with ${code}`)))
    child.stdout.on("data", (chunk) => {
      text += String(chunk)
      const [address] = /http:\/\/127\.0\.0\.1:\d+/u.exec(text) ?? []
      if (address !== undefined) resolve({ address, process: child })
    })
  })

/** A new folder for a database, and how to remove it. */
export const folder = () => {
  const path = mkdtempSync(join(tmpdir(), "webagent-console-"))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
