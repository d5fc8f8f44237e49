import type { Recording } from "@webagent/engine"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, extname, join } from "node:path"
import * as Encoder from "./Encoder.ts"
import * as Player from "./Player.ts"
import * as Spool from "./Spool.ts"

/** Location of recordings, and their limits. */
export interface RecordingOptions {
  /** Kept across restarts; a temporary folder that goes with the server unless given. */
  readonly folder?: string
  readonly limits?: Spool.Limits
  /**
   * Maximum size of all recordings; 10 GiB, and at most half of the free space, by default. The oldest are deleted
   * first.
   */
  readonly total_bytes?: number
}

/** A recording or a picture is one of these when it is complete. */
const contentTypes: Readonly<Record<string, string>> = {
  ".webm": "video/webm",
  ".html": "text/html; charset=utf-8",
  ".jpg": "image/jpeg"
}

const isComplete = (file: string): boolean => extname(file) === pictures || extname(file) in contentTypes

/** A folder of pictures of what a browser showed has this at its end. */
const pictures = ".pictures"

/** Path of a recording without its extension, or of a picture; undefined for an id that leads outside the folder. */
const placeOf = (id: string): string | undefined =>
  /^[\w-]+(?:\/[\w-]+)?$/u.test(id) ? id.replace("/", `${pictures}/`) : undefined

const folderOf = (folder: string | undefined) =>
  folder === undefined
    ? Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "webagent-recordings-"))),
        (temporary) => Effect.sync(() => rmSync(temporary, { recursive: true, force: true }))
      )
    : Effect.sync(() => {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        // what browsers showed may be secret
        chmodSync(folder, 0o700)
        return folder
      })

const settled = (pending: Deferred.Deferred<void> | undefined) =>
  pending === undefined ? Effect.void : Deferred.await(pending)

/**
 * A folder of recordings. A spool in it becomes a video when its browser stops, or a page that plays it where there is
 * no ffmpeg. What a server that was killed left is finished at the next start. Closing the scope ends the encoder; its
 * spool is finished at the next start, too.
 */
export const make = Effect.fnUntraced(function* (options: RecordingOptions = {}) {
  const folder = yield* folderOf(options.folder)
  const ffmpeg = yield* Encoder.find
  const scope = yield* Effect.scope
  // an encoder takes a core: one at a time
  const encoder = yield* Semaphore.make(1)
  const finishing = new Map<string, Deferred.Deferred<void>>()
  const finished = (id: string) => Effect.suspend(() => settled(finishing.get(id)))
  const spoolOf = (id: string) => join(folder, `${id}.spool`)

  /** Sizes of the folders of pictures, because there are too many pictures to measure each one again. */
  const sizes = new Map<string, number>()

  const remove = (file: string) => {
    rmSync(join(folder, file), { force: true, recursive: true })
    sizes.delete(file)
  }

  const sizeOfPictures = (file: string) => {
    const size =
      sizes.get(file) ??
      readdirSync(join(folder, file)).reduce((sum, name) => sum + statSync(join(folder, file, name)).size, 0)
    sizes.set(file, size)
    return size
  }

  const all = () =>
    readdirSync(folder).flatMap((file) => {
      const stats = statSync(join(folder, file), { throwIfNoEntry: false })
      if (stats === undefined) return []
      return [{ file, bytes: stats.isDirectory() ? sizeOfPictures(file) : stats.size, at_ms: stats.mtimeMs }]
    })
  const sizeOfAll = () => all().reduce((sum, { bytes }) => sum + bytes, 0)
  let held_bytes = sizeOfAll()
  const { bavail, bsize } = statfsSync(folder)
  const total_bytes = options.total_bytes ?? Math.min(10 * 1024 ** 3, held_bytes + (bavail * bsize) / 2)

  /** Deletes the oldest recordings until there is room, but not the one to `keep`. */
  const makeRoom = (bytes: number, keep?: string) => {
    if (held_bytes + bytes > total_bytes) {
      const complete = all().filter(({ file }) => isComplete(file) && file !== keep)
      for (const { file } of complete.toSorted((one, other) => one.at_ms - other.at_ms)) {
        remove(file)
        held_bytes = sizeOfAll()
        if (held_bytes + bytes <= total_bytes) break
      }
    }
    if (held_bytes + bytes <= total_bytes) {
      held_bytes += bytes
      return undefined
    }
    const gibibytes = Math.round((total_bytes / 1024 ** 3) * 10) / 10
    return `because all recordings together are limited to ${gibibytes} GiB`
  }

  const write = Effect.fnUntraced(function* (id: string) {
    const spool = existsSync(spoolOf(id)) ? spoolOf(id) : undefined
    const partial = join(folder, `${id}.partial`)
    const page = Effect.as(
      Effect.promise(() => Player.write(spool, partial)),
      ".html"
    )
    const canEncode = ffmpeg !== null && spool !== undefined
    const video = canEncode ? Effect.as(Encoder.encode(ffmpeg, spool, partial), ".webm") : page
    const extension = yield* video.pipe(
      Effect.catch(({ message }) =>
        Effect.andThen(Effect.logWarning(`The recording of ${id} is a page and no video: ${message}`), page)
      )
    )
    renameSync(partial, join(folder, `${id}${extension}`))
    rmSync(spoolOf(id), { force: true })
    held_bytes = sizeOfAll()
    makeRoom(0, `${id}${extension}`)
  })

  /** Makes what a spool is to become, and does not wait for it. */
  const finish = (id: string) =>
    Effect.suspend(() => {
      const done = finishing.get(id) ?? Deferred.makeUnsafe<void>()
      finishing.set(id, done)
      return write(id).pipe(
        encoder.withPermits(1),
        Effect.catchDefect((defect) => Effect.logError(`The recording of ${id} is lost`, defect)),
        Effect.ensuring(
          Effect.suspend(() => {
            finishing.delete(id)
            return Deferred.succeed(done, undefined)
          })
        ),
        Effect.forkIn(scope)
      )
    })

  for (const file of readdirSync(folder)) {
    if (extname(file) === ".partial") remove(file)
    else if (extname(file) === ".spool") yield* finish(file.slice(0, -".spool".length))
  }

  return {
    /** True if recordings are converted to videos. */
    isVideo: ffmpeg !== null,
    /** A spool for a browser's pictures until the scope closes. */
    record: Effect.fnUntraced(function* (id: string) {
      // from the beginning: a request may come before a stop is complete
      finishing.set(id, Deferred.makeUnsafe())
      yield* Effect.addFinalizer(() => finish(id))
      return yield* Spool.open(spoolOf(id), options.limits ?? Spool.defaultLimits, (bytes) => makeRoom(bytes))
    }),
    find: Effect.fnUntraced(function* (id: string) {
      const place = placeOf(id)
      if (place === undefined) return Option.none<Recording>()
      yield* finished(id)
      for (const [extension, contentType] of Object.entries(contentTypes)) {
        const path = join(folder, `${place}${extension}`)
        const stats = statSync(path, { throwIfNoEntry: false })
        if (stats === undefined) continue
        return Option.some<Recording>({ path, contentType, bytes: stats.size, finishedAt_ms: stats.mtimeMs })
      }
      return Option.none<Recording>()
    }),
    keep: (browserId: string, name: string, jpeg: Uint8Array) =>
      Effect.suspend(() => {
        const file = `${browserId}${pictures}`
        const id = `${browserId}/${name}`
        if (placeOf(id) === undefined || makeRoom(jpeg.length, file) !== undefined) return Effect.succeed(null)
        mkdirSync(join(folder, file), { recursive: true, mode: 0o700 })
        const before = sizeOfPictures(file)
        writeFileSync(join(folder, file, `${name}.jpg`), jpeg, { mode: 0o600 })
        sizes.set(file, before + jpeg.length)
        return Effect.succeed(id)
      }).pipe(
        Effect.catchCause((cause) =>
          Effect.as(Effect.logWarning(`A picture of ${browserId} is lost: it cannot be written.`, cause), null)
        )
      ),
    forget: Effect.fnUntraced(function* (id: string) {
      yield* finished(id)
      for (const { file } of all()) if (isComplete(file) && basename(file, extname(file)) === id) remove(file)
      held_bytes = sizeOfAll()
    }),
    prune: (finishedUntil_ms: number) =>
      Effect.sync(() => {
        const old = all().filter(({ at_ms, file }) => isComplete(file) && at_ms <= finishedUntil_ms)
        old.forEach(({ file }) => remove(file))
        held_bytes = sizeOfAll()
        return old.length
      })
  }
})
