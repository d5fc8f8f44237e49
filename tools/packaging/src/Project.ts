import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Packed } from "./Tarballs.ts"

/** What a project of someone else depends on. */
export interface Dependencies {
  readonly packed: ReadonlyArray<Packed>
  readonly dependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
}

/** Installs packed packages with npm into a folder outside of the workspace; `npm` is what npm is told, and its surroundings. */
export const installInto = (
  folder: string,
  { dependencies = {}, devDependencies = {}, packed }: Dependencies,
  npm: { readonly flags?: ReadonlyArray<string>; readonly env?: Record<string, string> } = {}
): void => {
  const tarballs = packed.map(({ name, tarball }) => [name, `file:${tarball}`] as const)
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({
      name: "someone-elses-app",
      private: true,
      type: "module",
      dependencies: { effect: "4.1.0", ...Object.fromEntries(tarballs), ...dependencies },
      // what a registry would do: our packages come from the tarballs, wherever they are asked for
      overrides: Object.fromEntries(packed.map(({ name }) => [name, `$${name}`])),
      devDependencies
    })
  )
  execFileSync("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...(npm.flags ?? [])], {
    cwd: folder,
    stdio: "pipe",
    env: { ...process.env, ...npm.env }
  })
}

/** A program that a project has installed. */
export const installedBin = (project: string, name: string) => join(project, "node_modules", ".bin", name)

/** A simulated service, as a project runs it. */
export interface Service {
  readonly address: string
  readonly apiKey: string
  /** Stops it, and waits until it has ended. */
  readonly stop: () => Promise<void>
}

/** Starts the installed `webagent-server`. */
export const startService = (project: string): Promise<Service> =>
  new Promise((resolve, reject) => {
    const apiKey = "wak_packed"
    const args = [installedBin(project, "webagent-server"), "--port", "0", "--api-key", apiKey]
    const child = spawn(process.execPath, args, { cwd: project })
    const stop = async () => {
      const ended = once(child, "exit")
      child.kill()
      await ended
    }
    let printed = ""
    child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()))
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString()
      const address = /http:\/\/127\.0\.0\.1:\d+/u.exec(printed)?.[0]
      if (address !== undefined) resolve({ address, apiKey, stop })
    })
    child.on("exit", () => reject(new Error(`webagent-server ended: ${printed}`)))
  })
