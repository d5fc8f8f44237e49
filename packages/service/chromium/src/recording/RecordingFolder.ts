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
  statSync
} from "node:fs"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import * as Encoder from "./Encoder.ts"
import * as Player from "./Player.ts"
import * as Spool from "./Spool.ts"

/** Where recordings are, and how much is recorded. */
export interface RecordingOptions {
  /** Kept across restarts; a temporary folder that goes with the server unless given. */
  readonly folder?: string
  readonly limits?: Spool.Limits
  /** How much room all of them take; 10 GiB, and at most half of what is free, unless given. The oldest go first. */
  readonly total_bytes?: number
}

/** A recording is one of these when it is complete. */
const contentTypes: Readonly<Record<string, string>> = { ".webm": "video/webm", ".html": "text/html; charset=utf-8" }

/** Ids of browsers, and nothing that leads elsewhere. */
const isName = (id: string): boolean => /^[\w-]+$/u.test(id)

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
  const spoolOf = (id: string) => join(folder, `${id}.spool`)

  const remove = (file: string) => rmSync(join(folder, file), { force: true })

  const all = () =>
    readdirSync(folder).flatMap((file) => {
      const found = statSync(join(folder, file), { throwIfNoEntry: false })
      return found === undefined ? [] : [{ file, bytes: found.size, at_ms: found.mtimeMs }]
    })
  const sizeOfAll = () => all().reduce((sum, { bytes }) => sum + bytes, 0)
  let held_bytes = sizeOfAll()
  const { bavail, bsize } = statfsSync(folder)
  const total_bytes = options.total_bytes ?? Math.min(10 * 1024 ** 3, held_bytes + (bavail * bsize) / 2)

  /** Deletes the oldest recordings until there is room, but not the one to `keep`. */
  const makeRoom = (bytes: number, keep?: string) => {
    if (held_bytes + bytes > total_bytes) {
      const complete = all().filter(({ file }) => extname(file) in contentTypes && file !== keep)
      for (const { file } of complete.toSorted((one, other) => one.at_ms - other.at_ms)) {
        remove(file)
        held_bytes = sizeOfAll()
        if (held_bytes + bytes <= total_bytes) break
      }
    }
    held_bytes += bytes
    const gibibytes = Math.round((total_bytes / 1024 ** 3) * 10) / 10
    return held_bytes <= total_bytes ? undefined : `because all recordings together are limited to ${gibibytes} GiB`
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
    /** Whether recordings become videos. */
    isVideo: ffmpeg !== null,
    /** A spool for a browser's pictures until the scope closes. */
    record: Effect.fnUntraced(function* (id: string) {
      // from the beginning: a request may come before a stop is complete
      finishing.set(id, Deferred.makeUnsafe())
      yield* Effect.addFinalizer(() => finish(id))
      return yield* Spool.open(spoolOf(id), options.limits ?? Spool.defaultLimits, (bytes) => makeRoom(bytes))
    }),
    find: (id: string) =>
      Effect.gen(function* () {
        if (!isName(id)) return Option.none<Recording>()
        const pending = finishing.get(id)
        if (pending !== undefined) yield* Deferred.await(pending)
        for (const [extension, contentType] of Object.entries(contentTypes)) {
          const path = join(folder, `${id}${extension}`)
          const found = statSync(path, { throwIfNoEntry: false })
          if (found === undefined) continue
          return Option.some<Recording>({ path, contentType, bytes: found.size, finishedAt_ms: found.mtimeMs })
        }
        return Option.none<Recording>()
      }),
    prune: (finishedUntil_ms: number) =>
      Effect.sync(() => {
        const old = readdirSync(folder).filter(
          (file) =>
            extname(file) in contentTypes &&
            (statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? Infinity) <= finishedUntil_ms
        )
        old.forEach(remove)
        return old.length
      })
  }
})
