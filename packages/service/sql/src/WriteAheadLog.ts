import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { readFileSync, rmSync, statfsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Worker } from "node:worker_threads"

/** A reader whose snapshot keeps the log from being emptied. */
export interface BlockingReader {
  /** Start of the blockade, in milliseconds since 1970. */
  readonly since_ms: number
  /** The processes that hold a snapshot, such as `1234 (sqlite3)`; empty if the operating system doesn't list them. */
  readonly processes: ReadonlyArray<string>
}

/** The write-ahead log of the SQLite file in use. Without one, no reader can block it. */
export const WriteAheadLog: Context.Reference<{
  /** The reader that has blocked the log for longer than `longSnapshot_ms`. */
  readonly blockedBy: Effect.Effect<BlockingReader | null>
}> = Context.Reference("@webagent/sql/WriteAheadLog", {
  defaultValue: () => ({ blockedBy: Effect.succeed<BlockingReader | null>(null) })
})

/** Settings of the write-ahead log. */
export interface WriteAheadLogOptions {
  readonly file: string
  /** Size above which a write first empties the log, in bytes. */
  readonly limit: number
  /** Interval of the checkpoints that don't hold writes back, in milliseconds. */
  readonly checkpointEvery_ms: number
  /** Age at which a snapshot that blocks the log is reported, in milliseconds. */
  readonly longSnapshot_ms: number
}

/** Longest wait of a checkpoint for readers, in milliseconds. Writes wait meanwhile. */
const holdAtMost_ms = 100

/** Pauses between checkpoints that a reader blocked, in milliseconds: each doubles the one before. */
const [firstRetry_ms, lastRetry_ms] = [50, 1000]

/** The result row of a checkpoint: frames in the log, and frames copied into the file. -1 means that it failed. */
interface Checkpoint {
  readonly busy: number
  readonly log: number
  readonly checkpointed: number
}

/** The real clock, also in tests that set another one: SQLite and the operating system use real time. */
const live = Clock.Clock.defaultValue()

/** Number of checkpoints without news after which the thread sleeps until the next write. */
const quietRounds = 8

/**
 * Runs checkpoints in a thread, because SQLite waits for the disk there. PASSIVE ones run next to readers and writers,
 * but can't catch up with a writer that never pauses, and only a log without a rest starts over. So a message asks for a
 * TRUNCATE while no write runs. Without writes, the thread sleeps: `awake` is 0 then, and a message wakes it.
 */
const thread = `
const { parentPort, workerData } = require("node:worker_threads")
const db = new (require("node:sqlite").DatabaseSync)(workerData.file, { timeout: ${holdAtMost_ms} })
const checkpoint = (mode) => {
  try {
    return { ...db.prepare("PRAGMA wal_checkpoint(" + mode + ")").get() }
  } catch {
    return { busy: 1, log: -1, checkpointed: -1 }
  }
}
let isBehind = false
let frames = -1
let quiet = 0
const pass = () => {
  // this checkpoint copies what is committed by now, and a later commit finds that the thread sleeps
  const isLast = quiet + 1 >= ${quietRounds}
  if (isLast) Atomics.store(workerData.awake, 0, 0)
  const passive = checkpoint("PASSIVE")
  const wasBehind = isBehind
  isBehind = passive.log !== passive.checkpointed
  if (isBehind || wasBehind) parentPort.postMessage({ passive })
  quiet = isBehind || passive.log < 0 || passive.log !== frames ? 0 : quiet + 1
  frames = passive.log
  if (!isLast) return
  if (quiet > 0) clearInterval(passes)
  else Atomics.store(workerData.awake, 0, 1)
}
let passes = setInterval(pass, workerData.every_ms)
const wake = () => {
  quiet = 0
  clearInterval(passes)
  passes = setInterval(pass, workerData.every_ms)
}
parentPort.on("message", (message) =>
  message === "wake" ? wake() : parentPort.postMessage({ truncate: checkpoint("TRUNCATE") })
)
`

type Message = { readonly passive: Checkpoint } | { readonly truncate: Checkpoint }

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Free space next to the file, in bytes; unlimited if the file system doesn't report it. */
const freeOf = (file: string): number => {
  try {
    const { bavail, bsize } = statfsSync(dirname(file))
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/**
 * True if the log must be truncated before the next write: it is above its limit, or larger than the free space. The
 * second condition leaves room for a checkpoint, which may have to extend the file; on a full disk it would fail and
 * free no space.
 */
const isTooLarge = (file: string, limit: number): boolean => {
  const size = sizeOf(`${file}-wal`)
  return size > 0 && (size > limit || size > freeOf(file))
}

/** First and last byte of SQLite's five read locks in the `-shm` file. */
const [firstReadLock, lastReadLock] = [123, 127]

/** Name of a process without its arguments, which may contain secrets. */
const nameOf = (pid: number): string => {
  if (pid === process.pid) return "this server"
  try {
    return /[^/]*$/u.exec(readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")[0] ?? "")?.[0] ?? ""
  } catch {
    return ""
  }
}

/** Processes that hold a snapshot at the moment; empty where the operating system doesn't list locks. */
const readersOf = (file: string): ReadonlyArray<number> => {
  try {
    const { ino } = statSync(`${file}-shm`)
    return readFileSync("/proc/locks", "utf8")
      .split("\n")
      .flatMap((line) => {
        const [pid, inode, from, to] = /(\d+) \w+:\w+:(\d+) (\d+) (\d+)$/u.exec(line)?.slice(1).map(Number) ?? []
        return pid !== undefined && inode === ino && Number(to) >= firstReadLock && Number(from) <= lastReadLock
          ? [pid]
          : []
      })
  } catch {
    return []
  }
}

/** Finds the reader that keeps checkpoints from going on, from the results of one after the other. */
const makeWatch = (file: string, longSnapshot_ms: number, log: (effect: Effect.Effect<void>) => void) => {
  let copied = -1
  let since_ms: number | undefined
  let pids: ReadonlyArray<number> = []
  let isReported = false
  const see = ({ checkpointed, log: frames }: Checkpoint) => {
    // another process runs a checkpoint, or the disk failed
    if (frames < 0) return
    const now_ms = live.currentTimeMillisUnsafe()
    const isStuck = frames > checkpointed && checkpointed === copied
    copied = checkpointed
    if (!isStuck) {
      if (isReported) log(Effect.logInfo(`${file}: the reader that blocked the write-ahead log is gone`))
      since_ms = undefined
      isReported = false
      return
    }
    const readers = readersOf(file)
    pids = since_ms === undefined ? readers : pids.filter((pid) => readers.includes(pid))
    since_ms ??= now_ms
    if (isReported || now_ms - since_ms < longSnapshot_ms) return
    isReported = true
    log(
      Effect.logWarning(
        `${file}: a reader has held a snapshot for ${Math.round((now_ms - since_ms) / 1000)} s, so the write-ahead log keeps growing. Stop the process: ${processes().join(", ") || "one that has the file open"}`
      )
    )
  }
  const processes = () => [...new Set(pids)].map((pid) => `${pid} (${nameOf(pid)})`)
  const blockedBy = Effect.sync((): BlockingReader | null =>
    isReported && since_ms !== undefined ? { since_ms, processes: processes() } : null
  )
  return { see, blockedBy }
}

/**
 * Empties a log that was left too large, such as by a killed server, as far as the disk allows. The connection locks
 * out all others, so SQLite keeps its index of the log in memory: on a full disk, the space of the index file lets the
 * database grow. If another process has the file open, the first write empties the log.
 */
export const recover = (file: string, limit: number): void => {
  if (!isTooLarge(file, limit)) return
  const db = new DatabaseSync(file, { timeout: holdAtMost_ms })
  try {
    // the first read takes the lock
    db.exec("PRAGMA locking_mode = EXCLUSIVE; SELECT 1 FROM sqlite_schema")
    rmSync(`${file}-shm`, { force: true })
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  } catch {
    // the first write fails with the reason
  } finally {
    db.close()
  }
}

/**
 * Copies the log of `db` into its file in a thread, and bounds the size of the log. `room` runs before each write, when
 * no other one runs: it waits until a log that is too large is empty, or a reader has blocked that for a moment. `wake`
 * runs after each write: before a long one, the thread would sleep again by the time of the commit.
 * `isAwake` is false while there is nothing to copy.
 */
export const make: (
  db: DatabaseSync,
  options: WriteAheadLogOptions
) => Effect.Effect<
  {
    readonly room: Effect.Effect<void>
    readonly wake: Effect.Effect<void>
    readonly blockedBy: Effect.Effect<BlockingReader | null>
    readonly isAwake: () => boolean
  },
  never,
  Scope.Scope
> = Effect.fnUntraced(function* (db, { checkpointEvery_ms, file, limit, longSnapshot_ms }) {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const watch = makeWatch(file, longSnapshot_ms, (effect) => void fork(effect))
  const awake = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(1)
  const isAwake = () => Atomics.load(awake, 0) === 1
  let isRunning = true
  let retryIn_ms = 0
  let retryAt_ms = 0
  let truncation: Promise<void> | undefined
  let finish = () => {}

  const truncated = ({ busy }: Checkpoint) => {
    retryIn_ms = busy === 0 ? 0 : Math.min(lastRetry_ms, Math.max(firstRetry_ms, 2 * retryIn_ms))
    retryAt_ms = live.currentTimeMillisUnsafe() + retryIn_ms
    finish()
  }
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => {
      db.exec("PRAGMA wal_autocheckpoint = 0")
      const worker = new Worker(thread, { eval: true, workerData: { awake, file, every_ms: checkpointEvery_ms } })
      worker.on("message", (message: Message) =>
        "passive" in message ? watch.see(message.passive) : truncated(message.truncate)
      )
      // without the thread, commits run checkpoints
      worker.on("error", () => db.isOpen && db.exec("PRAGMA wal_autocheckpoint = 1000"))
      worker.on("exit", () => {
        isRunning = false
        finish()
      })
      worker.unref()
      return worker
    }),
    (worker) => Effect.promise(() => worker.terminate())
  )
  const truncate = () =>
    new Promise<void>((resolve) => {
      finish = () => {
        truncation = undefined
        worker.unref()
        resolve()
      }
      // keeps the process alive until the write that waits has run
      worker.ref()
      worker.postMessage("truncate", [])
    })
  const wake = Effect.sync(() => {
    if (!isRunning || isAwake()) return
    Atomics.store(awake, 0, 1)
    worker.postMessage("wake", [])
  })
  const room = Effect.suspend(() => {
    if (!isRunning || !isTooLarge(file, limit) || live.currentTimeMillisUnsafe() < retryAt_ms) return Effect.void
    return Effect.promise(() => (truncation ??= truncate()))
  })
  return { room, wake, blockedBy: watch.blockedBy, isAwake }
})
