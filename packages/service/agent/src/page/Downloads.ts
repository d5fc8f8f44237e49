import type { CdpError } from "@webagent/engine"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import type { Session } from "./Sessions.ts"

/** A file that an upload may choose. */
export interface TaskFile {
  readonly name: string
  /** Where the browser finds it. */
  readonly path: string
}

/** Puts downloads into a folder, under names of the browser, or refuses them; the answer is those that are complete. */
export const make = Effect.fnUntraced(function* (
  browser: Session,
  folder: string | null,
  note: (text: string) => void
): Effect.fn.Return<() => ReadonlyArray<TaskFile>, CdpError> {
  const names = new Map<string, string>()
  const files: Array<TaskFile> = []

  browser.on("Browser.downloadWillBegin", ({ guid, suggestedFilename }) => {
    names.set(guid, suggestedFilename.slice(0, 200).toWellFormed())
  })
  browser.on("Browser.downloadProgress", ({ filePath, guid, state, totalBytes }) => {
    const name = names.get(guid)
    if (name === undefined || state === "inProgress") return
    names.delete(guid)
    if (folder === null) return note(`The download of ${JSON.stringify(name)} was refused.`)
    if (state === "canceled") return note(`The download of ${JSON.stringify(name)} was interrupted.`)
    files.push({ name, path: filePath ?? join(folder, guid) })
    note(`Downloaded ${JSON.stringify(name)} (${totalBytes} bytes) to the task's files.`)
  })

  yield* browser.send("Browser.setDownloadBehavior", {
    behavior: folder === null ? "deny" : "allowAndName",
    ...(folder === null ? {} : { downloadPath: folder }),
    eventsEnabled: true
  })
  return () => files
})
