import { type BrowserFiles, StoreUnavailable } from "@webagent/engine"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { constants } from "node:fs"
import { chown, mkdir, mkdtemp, open, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"

const failed = (cause: unknown) => new StoreUnavailable({ applied: "no", cause })

const attempt = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: failed })

/** Gives a file to the user of the browser, which may be another one than that of the server. */
const give = async (path: string, like: string) => {
  const { gid, uid } = await stat(like)
  await chown(path, uid, gid)
}

/** Makes a new folder below a browser's folder of downloads. */
const newFolder = async (downloads: string) => {
  if ((await mkdir(downloads, { recursive: true, mode: 0o700 })) !== undefined)
    await give(downloads, dirname(downloads))
  const folder = await mkdtemp(join(downloads, "attached-"))
  await give(folder, downloads)
  return folder
}

/** Access to the folder of a browser's downloads. What the browser put there is untrusted: links are not followed. */
export const make = (downloads: string): BrowserFiles => ({
  put: Effect.fnUntraced(function* (name, bytes) {
    const folder = yield* attempt(() => newFolder(downloads))
    const path = join(folder, name)
    yield* Effect.acquireUseRelease(
      attempt(() => open(path, "wx", 0o600)),
      (file) => Stream.runForEach(bytes, (chunk) => attempt(() => file.appendFile(chunk))),
      (file) => Effect.promise(() => file.close())
    )
    yield* attempt(() => give(path, folder))
    return path
  }),
  read: (path) =>
    Effect.gen(function* () {
      if (dirname(resolve(path)) !== resolve(downloads)) return null
      const opened = () => open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
      const size = yield* Effect.acquireUseRelease(
        attempt(opened),
        (file) =>
          Effect.map(
            attempt(() => file.stat()),
            (stats) => (stats.isFile() ? stats.size : null)
          ),
        (file) => Effect.promise(() => file.close())
      )
      if (size === null) return null
      const bytes = Stream.unwrap(
        Effect.map(attempt(opened), (file) =>
          Stream.fromAsyncIterable(
            { [Symbol.asyncIterator]: () => file.createReadStream()[Symbol.asyncIterator]() },
            failed
          )
        )
      )
      return { size, bytes }
    }).pipe(Effect.orElseSucceed(() => null))
})
