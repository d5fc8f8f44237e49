import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { closeSync, openSync, writeSync } from "node:fs"
import * as Matroska from "./Matroska.ts"

/** Limits of a browser's recording. */
export interface Limits {
  readonly bytes: number
  readonly duration_ms: number
}

export const defaultLimits: Limits = { bytes: 1024 ** 3, duration_ms: 4 * 3_600_000 }

/** Makes room for this many bytes more; a sentence where there is none. */
type MakeRoom = (bytes: number) => string | undefined

/**
 * Writes pictures to a file as they come; each is complete when the next begins. At a limit the recording ends, and the
 * log and a comment of the recording say so. Closing the scope shows the last picture up to now.
 */
export const open = Effect.fnUntraced(function* (path: string, limits: Limits, makeRoom: MakeRoom = () => undefined) {
  const clock = yield* Clock.Clock
  const began_ms = clock.currentTimeMillisUnsafe()
  let file: number | undefined
  let written_bytes = 0
  let last: Buffer | undefined
  let isOver = false

  const put = (bytes: Buffer) => {
    file ??= openSync(path, "a", 0o600)
    writeSync(file, bytes)
    written_bytes += bytes.length
  }

  const show = (jpeg: Buffer) => {
    if (last === undefined) {
      const size = Matroska.sizeOf(jpeg)
      if (size === undefined) return
      put(Matroska.head(size))
    }
    last = jpeg
    // pictures are small, and the page cache takes them faster than a thread would be asked to
    put(Matroska.frame(Math.max(0, clock.currentTimeMillisUnsafe() - began_ms), jpeg))
  }

  /** A disk that does not take what is written ends the recording. */
  const guarded = (write: () => void) =>
    Effect.catchCause(Effect.sync(write), (cause) => {
      isOver = true
      return Effect.logWarning(`The recording ${path} ends: it cannot be written.`, cause)
    })

  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      const jpeg = last
      if (jpeg !== undefined && !isOver) yield* guarded(() => show(jpeg))
      // the next file gets its number: a picture of a step may still come
      isOver = true
      if (file !== undefined) closeSync(file)
    })
  )
  return {
    show: (jpeg: Uint8Array) =>
      Effect.suspend(() => {
        if (isOver) return Effect.void
        const passed_ms = clock.currentTimeMillisUnsafe() - began_ms
        const minutes = Math.round(passed_ms / 60_000)
        const mebibytes = Math.round(written_bytes / 1024 ** 2)
        const isLong = passed_ms >= limits.duration_ms || written_bytes + jpeg.length > limits.bytes
        const why = isLong ? `at its limit, after ${minutes} min and ${mebibytes} MiB` : makeRoom(jpeg.length)
        if (why === undefined) return guarded(() => show(Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength)))
        isOver = true
        const comment = guarded(() => {
          if (file !== undefined) writeSync(file, Matroska.comment(`The recording ends here, ${why}.`))
        })
        return Effect.andThen(comment, Effect.logWarning(`The recording ${path} ends ${why}.`))
      })
  }
})
