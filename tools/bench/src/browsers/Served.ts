import { chmodSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { ask } from "../measure/Ask.ts"
import { inFolder } from "../measure/Report.ts"
import { fromSource, readHealth, type ServerProcess, startOurs } from "../measure/ServerProcess.ts"
import { browsers as running, type DevTools, devToolsIn, pools } from "./Devtools.ts"

/** Number of browsers that wait, and the maximum that are handed out at once. */
export const warm = 2
export const most = 64

/** A browser that was created. */
interface Created {
  readonly id: string
  readonly cdpUrl: string
}

/** A server of real browsers, and a client's calls to it. */
export interface Served {
  readonly server: ServerProcess
  readonly folder: string
  readonly create: () => Promise<Created>
  readonly stop: (id: string) => Promise<unknown>
  readonly health: () => Promise<{ readonly browsers: { readonly active: number; readonly isolation: string } }>
  /** Waits until as many wait as should, beside those that are handed out. */
  readonly rested: (handedOut?: number) => Promise<void>
  /** A browser, with its DevTools without the server. */
  readonly createBoth: () => Promise<Created & { readonly direct: DevTools }>
}

export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await sleep(20)
}

const of = (server: ServerProcess, folder: string): Served => {
  const send = (method: string, path: string, body: object) =>
    ask<Created>(`${server.url}/api/v4${path}`, method, JSON.stringify(body))
  const create = () => send("POST", "/browsers", {})
  return {
    server,
    folder,
    create,
    stop: (id) => send("PATCH", `/browsers/${id}`, { action: "stop" }),
    health: () => ask(`${server.url}/health`),
    // one whose process runs waits once its DevTools answer, which no client can see
    rested: async (handedOut = 0) => {
      await until(() => running(folder).size === warm + handedOut)
      await sleep(1500)
    },
    createBoth: async () => {
      const waiting = [...running(folder)]
      const created = await create()
      await until(() => running(folder).size === warm + 1)
      // the one that waited longest was handed out
      const numberOf = (name: string) => Number(name.split("-").at(-1))
      const [[of, pid] = ["", -1]] = waiting.toSorted(([a], [b]) => numberOf(a) - numberOf(b))
      return { ...created, direct: devToolsIn(of, pid) }
    }
  }
}

/** Starts a server of real browsers in a folder of its own, for as long as it is used. */
export const served = <A extends object>(use: (served: Served) => Promise<A>) =>
  inFolder(async (folder): Promise<A> => {
    // browsers of a server that is root run as another user
    chmodSync(folder, 0o711)
    process.env["TMPDIR"] = folder
    const flags = ["--browsers", "chromium", "--min-isolation", "none", "--max-browsers", `${most}`]
    const data = ["--data", join(folder, "server.db")]
    const server = await startOurs([...fromSource, "serve"], [...flags, ...data], { probe: readHealth })
    try {
      return await use(of(server, folder))
    } finally {
      await server.stop()
      await until(() => pools(folder).length === 0)
    }
  })
