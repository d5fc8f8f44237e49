import { chmodSync, mkdtempSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { ask } from "../measure/Ask.ts"
import { bundleServer, serverIn } from "../measure/Bundle.ts"
import type { Command } from "../measure/Pinning.ts"
import { type Heading, inFolder, type Options } from "../measure/Report.ts"
import { chromiumOf } from "../measure/ServerCommand.ts"
import { readHealth, type ServerProcess, startOurs } from "../measure/ServerProcess.ts"
import { type Against, comparable, type Pair, type Version, versionsOf, withBoth } from "../measure/Versions.ts"
import { browsers as running, type DevTools, devToolsIn, pools } from "./Devtools.ts"

/** Number of browsers that wait, and the maximum that are handed out at once. */
export const warm = 2
export const most = 64

/** A browser that was created. */
interface Created {
  readonly id: string
  readonly cdpUrl: string
  readonly controlUrl?: string
  readonly liveUrl?: string
}

/** A server of real browsers, and a client's calls to it. */
export interface Served {
  readonly server: ServerProcess
  readonly folder: string
  readonly create: () => Promise<Created>
  readonly stop: (id: string) => Promise<unknown>
  readonly health: () => Promise<{ readonly browsers: { readonly active: number; readonly isolation: string } }>
  /** A browser, with its DevTools without the server. */
  readonly createBoth: () => Promise<Created & { readonly direct: DevTools }>
}

export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await sleep(20)
}

/** Waits until as many browsers of each server wait as should, and none is handed out. */
export const rested = async (servers: ReadonlyArray<Served>): Promise<void> => {
  for (const { folder } of servers) await until(() => running(folder).size === warm)
  // one whose process runs waits once its DevTools answer, which no client can see
  await sleep(1500)
}

const start = (version: Version, scratch: string) =>
  comparable(version, async (): Promise<Served> => {
    const folder = mkdtempSync(join(scratch, "served-"))
    // browsers of a server that is root run as another user
    chmodSync(folder, 0o711)
    const flags = ["--max-browsers", `${most}`, "--data", join(folder, "server.db")]
    // its browsers are found in a temporary folder of its own
    const inspect = ({ args, file }: Command) => ({ file: "env", args: [`TMPDIR=${folder}`, file, ...args] })
    const server = await startOurs(chromiumOf(serverIn(version.folder)), flags, { inspect, probe: readHealth })
    const send = (method: string, path: string, body: object) =>
      ask<Created>(`${server.url}/api/v4${path}`, method, JSON.stringify(body))
    const create = () => send("POST", "/browsers", {})
    return {
      server,
      folder,
      create,
      stop: (id) => send("PATCH", `/browsers/${id}`, { action: "stop" }),
      health: () => ask(`${server.url}/health`),
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
  })

/** Starts a server of real browsers for each version, for as long as they are used. */
export const served = <A extends object>(
  options: Options,
  use: (servers: Pair<Served>) => Promise<A>
): Promise<Heading & Against & A> =>
  inFolder(async (scratch) => {
    chmodSync(scratch, 0o711)
    const versions = await versionsOf("server", bundleServer, scratch, options)
    const measured = await withBoth(
      versions,
      (version) => start(version, scratch),
      async ({ folder, server }) => {
        await server.stop()
        await until(() => pools(folder).length === 0)
      },
      use
    )
    return { against: versions[1]?.commit ?? null, ...measured }
  })
