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

/**
 * Puts downloads into a folder, under names that the browser made safe, or refuses them; the answer is those that are
 * complete.
 */
export const make = Effect.fnUntraced(function* (
  browser: CdpSession,
  folder: string | null,
  note: (text: string) => void
): Effect.fn.Return<() => ReadonlyArray<TaskFile>, CdpError> {
  const names = new Map<string, string>()
  const files = new Map<string, TaskFile>()
  let count = 0

  const cancel = (guid: string, why: string) => {
    note(`The download of ${JSON.stringify(names.get(guid))} was refused${why}.`)
    names.delete(guid)
    if (folder !== null) browser.post("Browser.cancelDownload", { guid })
  }

  browser.on("Browser.downloadWillBegin", ({ guid, suggestedFilename }) => {
    names.set(guid, suggestedFilename.slice(0, 200).toWellFormed())
    if (folder === null) return cancel(guid, "")
    count += 1
    if (count > files_most) cancel(guid, `: a run keeps at most ${files_most} files`)
  })
  browser.on("Browser.downloadProgress", ({ filePath, guid, receivedBytes, state, totalBytes }) => {
    const name = names.get(guid)
    if (name === undefined) return
    if (Math.max(receivedBytes, totalBytes) > bytes_most) {
      return cancel(guid, `: a file has at most ${bytes_most / 1024 ** 2} MiB`)
    }
    if (state === "inProgress") return
    names.delete(guid)
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
  return () => Array.from(files.values())
})
