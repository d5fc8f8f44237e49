import type { CdpError, CdpSession } from "@webagent/cdp"
import * as Effect from "effect/Effect"
import { basename } from "node:path"

/** A file that an upload may choose. */
export interface TaskFile {
  readonly name: string
  /** The path under which the browser finds it. */
  readonly path: string
}

/** Limits the files of a task, and the size of each in bytes. The browser limits their total size. */
const files_most = 20
const bytes_most = 100 * 1024 ** 2

/** The downloads of a browser. */
export interface Downloads {
  readonly complete: () => ReadonlyArray<TaskFile>
  /** Returns whether a download that began at this time or later is running. */
  readonly isRunning: (since?: number) => boolean
  /** Returns how many downloads have begun. */
  readonly count: () => number
}

/** Puts downloads into a folder, under names that the browser made safe, or refuses them. */
export const make = Effect.fnUntraced(function* (
  browser: CdpSession,
  folder: string | null,
  note: (text: string) => void,
  now: () => number
): Effect.fn.Return<Downloads, CdpError> {
  const running = new Map<string, { readonly name: string; readonly began: number }>()
  const files = new Map<string, TaskFile>()
  let count = 0

  const cancel = (guid: string, why: string) => {
    note(`The download of ${JSON.stringify(running.get(guid)?.name)} was refused${why}.`)
    running.delete(guid)
    if (folder !== null) browser.post("Browser.cancelDownload", { guid })
  }

  browser.on("Browser.downloadWillBegin", ({ guid, suggestedFilename }) => {
    running.set(guid, { name: suggestedFilename.slice(0, 200).toWellFormed(), began: now() })
    count += 1
    if (folder === null) return cancel(guid, "")
    if (count > files_most) cancel(guid, `: a run keeps at most ${files_most} files`)
  })
  browser.on("Browser.downloadProgress", ({ filePath, guid, receivedBytes, state, totalBytes }) => {
    const name = running.get(guid)?.name
    if (name === undefined) return
    if (Math.max(receivedBytes, totalBytes) > bytes_most) {
      return cancel(guid, `: a file has at most ${bytes_most / 1024 ** 2} MiB`)
    }
    if (state === "inProgress") return
    running.delete(guid)
    if (state === "canceled" || filePath === undefined) {
      return note(`The download of ${JSON.stringify(name)} was interrupted.`)
    }
    // one of the same name takes the place of the one before, on the disk, too
    files.set(filePath, { name: basename(filePath), path: filePath })
    note(`Downloaded ${JSON.stringify(basename(filePath))} (${receivedBytes} bytes) to the task's files.`)
  })

  yield* browser.send("Browser.setDownloadBehavior", {
    behavior: folder === null ? "deny" : "allow",
    ...(folder === null ? {} : { downloadPath: folder }),
    eventsEnabled: true
  })
  return {
    complete: () => Array.from(files.values()),
    isRunning: (since = 0) => Array.from(running.values()).some(({ began }) => began >= since),
    count: () => count
  }
})
