import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as PlatformError from "effect/PlatformError"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as IdempotencyKey from "./IdempotencyKey.ts"
import { parseJson } from "./Json.ts"
import * as Ledger from "./Ledger.ts"
import { type LedgerEntry, OpenItems } from "./LedgerEntry.ts"

/** Options of a ledger in files. */
export interface LedgerFileOptions {
  /** A folder that all processes of an application share; each writes files of its own there. It is made if need be. */
  readonly directory: string
  /** The process that writes, such as `ProcessOwner.current()` of `@webagent/core/node`. Open items carry it, so that no other process stops what is in use. */
  readonly owner?: string | undefined
}

/**
 * The format of the files, in their first line `{"ledger":1,"owner":...}`. Each further line is a LedgerEntry as JSON; one
 * that was taken over from another file also has the `owner` of that. A reader skips entries that it does not know, and
 * refuses another format.
 */
export const format = 1

/** The files are put into one when they have this many entries and no more than a quarter of them are needed. */
const manyEntries = 1000

/** Text fields of a ledger entry. Checked by hand, because a start may read hundreds of thousands of entries. */
const textFields: { readonly [Tag in LedgerEntry["_tag"]]: ReadonlyArray<string> } = {
  opening: ["key", "kind", "method", "path", "origin", "requestId"],
  opened: ["key"],
  refused: ["key"],
  unknown: ["key", "reason"],
  closed: ["kind", "id"]
}

const parse = (line: string): Readonly<Record<string, unknown>> => Object(parseJson(line))

const isEntry = (entry: Readonly<Record<string, unknown>>): entry is LedgerEntry & { readonly owner?: unknown } => {
  const fields = textFields[entry["_tag"] as LedgerEntry["_tag"]] as ReadonlyArray<string> | undefined
  return (
    Number.isFinite(entry["at_ms"]) &&
    (entry["id"] === undefined || typeof entry["id"] === "string") &&
    fields !== undefined &&
    fields.every((name) => typeof entry[name] === "string")
  )
}

const failed = (what: string) => (error: PlatformError.PlatformError) =>
  Effect.fail(new Ledger.LedgerError({ message: `${what}: ${error.message}` }))

interface Line {
  readonly entry: LedgerEntry
  readonly owner: string | undefined
  /** When it happened, or the line before it, if that says later. */
  readonly at_ms: number
}

/** The lines of a file, or undefined where it is gone: another process has taken it over. */
const readFile = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, path: string) {
  const text = yield* fs.readFileString(path).pipe(
    Effect.catchIf(
      (error) => error.reason._tag === "NotFound",
      () => Effect.succeed(undefined)
    ),
    Effect.catch(failed(`The ledger ${path} cannot be read`))
  )
  if (text === undefined) return undefined
  const lines = text.split("\n")
  // what follows the last line end was being written when its process died: it never took effect
  lines.pop()
  const [first, ...rest] = lines
  if (first === undefined) return []
  const { ledger, owner: owned } = parse(first)
  if (ledger !== format) {
    return yield* new Ledger.LedgerError({
      message: `${path} is not a ledger of format ${format}. Read it with the version that wrote it, or move it away.`
    })
  }
  const owner = typeof owned === "string" ? owned : undefined
  let at_ms = Number.NEGATIVE_INFINITY
  const read: Array<Line> = []
  for (const line of rest) {
    const entry = parse(line)
    if (!isEntry(entry)) continue
    const { owner: own } = entry
    // a clock that was set back does not put an answer before its create
    at_ms = Math.max(at_ms, entry.at_ms)
    read.push({ entry, owner: typeof own === "string" ? own : owner, at_ms })
  }
  return read
})

/** Returns the open resources after all entries. */
const itemsOf = (lines: ReadonlyArray<Line>): OpenItems => {
  const items = new OpenItems()
  const begun = new Map<string, LedgerEntry>()
  // one that two files have counts once: its file was taken over while it was written, or by two processes
  const isAgain = (entry: LedgerEntry) => {
    if (entry._tag !== "opening") return false
    const before = begun.get(entry.key)
    begun.set(entry.key, entry)
    return before?._tag === "opening" && before.at_ms === entry.at_ms && before.requestId === entry.requestId
  }
  const isInOrder = lines.every(({ at_ms }, index) => at_ms >= (lines[index - 1]?.at_ms ?? at_ms))
  const inOrder = isInOrder ? lines : lines.toSorted((a, b) => a.at_ms - b.at_ms)
  for (const { entry, owner } of inOrder) if (entry._tag !== "closed" && !isAgain(entry)) items.add(entry, owner)
  // who reaps writes "closed" into a file of its own, by a clock of its own: an end comes after every beginning
  for (const { entry } of inOrder) if (entry._tag === "closed") items.add(entry)
  return items
}

const filesOf = (fs: FileSystem.FileSystem, directory: string) =>
  fs.exists(directory).pipe(
    Effect.flatMap((exists) => (exists ? fs.readDirectory(directory) : Effect.succeed([]))),
    Effect.map((names) => names.filter((name) => name.endsWith(".ndjson")).toSorted()),
    Effect.catch(failed(`The ledger's folder ${directory} cannot be read`))
  )

const readAll = (
  fs: FileSystem.FileSystem,
  directory: string,
  tries = 10
): Effect.Effect<OpenItems, Ledger.LedgerError> =>
  Effect.gen(function* () {
    const names = yield* filesOf(fs, directory)
    const lines: Array<Line> = []
    for (const name of names) {
      const read = yield* readFile(fs, `${directory}/${name}`)
      if (read === undefined) {
        // its entries are in another file by now
        if (tries > 1) return yield* readAll(fs, directory, tries - 1)
        return yield* new Ledger.LedgerError({
          message: `The ledger's folder ${directory} changes while it is read: ${name} is gone. Read it again.`
        })
      }
      for (const line of read) lines.push(line)
    }
    return itemsOf(lines)
  })

const encoder = new TextEncoder()
const encode = (values: ReadonlyArray<object>) =>
  encoder.encode(values.map((value) => `${JSON.stringify(value)}\n`).join(""))

/** An entry as a line of a file that has no owner of its own. */
const lineOf = ({ entry, owner }: Pick<Line, "entry" | "owner">) => (owner === undefined ? entry : { ...entry, owner })

/** A file that this process writes. */
interface Writing {
  readonly file: FileSystem.File
  readonly close: Effect.Effect<void>
  readonly path: string
}

/** Suffix of files that a process has renamed to take them over, and not yet merged into another file. */
const taken = ".taken.ndjson"

/**
 * A ledger in files: what was opened is on the disk before its create goes out, and outlives a killed process.
 *
 * A process takes files over by renaming them. It puts what they say into a new file, and removes them when that is on the
 * disk. A process that writes looks after each entry whether its file is still there, and if not writes the entry once
 * more, into a new file: an entry is seen by the one or written again by the other.
 *
 * @param options - `directory` is the folder, and `owner` this process, as `ProcessOwner.current()` returns it.
 * @returns The ledger. Its file is closed with the scope.
 * @example
 * ```ts
 * import * as NodeServices from "@effect/platform-node/NodeServices"
 * import { LedgerFile } from "@webagent/core"
 * import * as Effect from "effect/Effect"
 *
 * export const open = LedgerFile.make({ directory: "ledger" }).pipe(
 *   Effect.flatMap((ledger) => ledger.open),
 *   Effect.scoped,
 *   Effect.provide(NodeServices.layer)
 * )
 * ```
 */
export const make = Effect.fnUntraced(function* ({
  directory,
  owner
}: LedgerFileOptions): Effect.fn.Return<Ledger.Ledger, never, FileSystem.FileSystem | Scope.Scope> {
  const fs = yield* FileSystem.FileSystem
  const oneAtATime = Semaphore.makeUnsafe(1)
  /** Open resources of this process. */
  const own = new OpenItems()
  /** Open resources of other processes, when their files were as `files` describes. */
  let others = { files: "", items: new OpenItems() }
  let writing: Writing | undefined
  let written = 0

  const stop = Effect.suspend(() => {
    const close = writing?.close ?? Effect.void
    writing = undefined
    return close
  })
  yield* Effect.addFinalizer(() => stop)

  const append = (file: FileSystem.File, values: ReadonlyArray<object>) =>
    Effect.andThen(file.writeAll(encode(values)), file.sync)

  // a rename is lost with the power unless its folder is on the disk as well; not every system can
  const syncFolder = Effect.ignore(
    Effect.scoped(Effect.flatMap(fs.open(directory, { flag: "r" }), (folder) => folder.sync))
  )

  const newPath = Effect.map(
    Effect.all([Clock.currentTimeMillis, IdempotencyKey.random]),
    ([now_ms, id]) => `${directory}/${now_ms}-${id}`
  )

  /** A whole file, under its name at once or not at all. */
  const writeWhole = Effect.fnUntraced(function* (values: ReadonlyArray<object>) {
    const path = `${yield* newPath}.ndjson`
    const temporary = `${path}.tmp`
    yield* fs.open(temporary, { flag: "wx", mode: 0o600 }).pipe(
      Effect.flatMap((file) => append(file, values)),
      Effect.scoped,
      Effect.andThen(fs.rename(temporary, path)),
      Effect.andThen(syncFolder),
      Effect.onError(() => Effect.ignore(fs.remove(temporary)))
    )
  })

  /** Puts what the files say into one, where most of it is over. */
  const compact = Effect.gen(function* () {
    const names = yield* filesOf(fs, directory)
    const look = (yield* Effect.forEach(names, (name) => readFile(fs, `${directory}/${name}`))).map(
      (read) => read ?? []
    )
    const count = look.reduce((sum, read) => sum + read.length, 0)
    if (count < manyEntries || 4 * itemsOf(look.flat()).size > count) return
    // where another process does the same, or died while it did, an end may be here and its beginning there
    let isWhole = !names.some((name) => name.endsWith(taken))
    const claimed: Array<string> = []
    const lines: Array<Line> = []
    for (const name of names) {
      const path = `${yield* newPath}${taken}`
      if (yield* Effect.isSuccess(fs.rename(`${directory}/${name}`, path))) {
        claimed.push(path)
        const read = yield* readFile(fs, path)
        isWhole &&= read !== undefined
        for (const line of read ?? []) lines.push(line)
      } else {
        isWhole = false
      }
    }
    const kept = isWhole ? itemsOf(lines).entries() : lines.toSorted((a, b) => a.at_ms - b.at_ms)
    if (kept.length > 0) yield* writeWhole([{ ledger: format }, ...kept.map(lineOf)])
    for (const path of claimed) yield* Effect.ignore(fs.remove(path))
  }).pipe(Effect.catch((error) => Effect.logDebug(`${error.message} It stays as it is.`)))

  // a process that creates nothing leaves no file
  const begin = Effect.gen(function* () {
    yield* fs.makeDirectory(directory, { recursive: true })
    if (written === 0) yield* compact
    const path = `${yield* newPath}.ndjson`
    const scope = yield* Scope.make()
    const file = yield* fs.open(path, { flag: "ax", mode: 0o600 }).pipe(Scope.provide(scope))
    writing = { file, path, close: Scope.close(scope, Exit.void) }
    yield* append(file, [{ ledger: format, ...(owner === undefined ? {} : { owner }) }])
    return writing
  })

  /**
   * Returns whether any process has the resource open; the end of anything else isn't worth an entry. A file that can't
   * be read may have it open.
   */
  const isOpen = Effect.fnUntraced(
    function* (kind: string, id: string) {
      if (own.has(kind, id)) return true
      const paths = (yield* filesOf(fs, directory)).map((name) => `${directory}/${name}`)
      const stats = yield* Effect.forEach(
        paths.filter((path) => path !== writing?.path),
        (path) => Effect.map(fs.stat(path), ({ mtime, size }) => [path, String(size), mtime])
      )
      const files = JSON.stringify(stats)
      if (files !== others.files) others = { files, items: yield* readAll(fs, directory) }
      return others.items.has(kind, id)
    },
    Effect.catch(() => Effect.succeed(true))
  )

  const write = Effect.fnUntraced(function* (entry: LedgerEntry) {
    if (entry._tag === "closed" && !(yield* isOpen(entry.kind, entry.id))) return
    const current = writing ?? (yield* begin)
    yield* append(current.file, [entry])
    if (!(yield* fs.exists(current.path))) {
      // another process has taken the file over, perhaps before this entry was in it
      yield* stop
      const { file } = yield* begin
      yield* append(file, [entry])
    }
    own.add(entry, owner)
    others.items.add(entry)
    written++
    if (written % manyEntries === 0) yield* compact
  })

  return {
    write: (entry) =>
      write(entry).pipe(
        // half a line may be there: the next one begins a file of its own
        Effect.tapError(() => stop),
        Effect.catch(failed(`The ledger in ${directory} cannot be written`)),
        Effect.uninterruptible,
        oneAtATime.withPermit
      ),
    open: Effect.map(readAll(fs, directory), (items) => items.list())
  }
})

/**
 * Provides `Ledger.Current` with a ledger in files.
 *
 * @param options - `directory` is the folder, and `owner` this process, as `ProcessOwner.current()` returns it.
 * @returns A layer. A create fails if the ledger cannot be written.
 * @example
 * ```ts
 * import { LedgerFile } from "@webagent/core"
 * import { ProcessOwner } from "@webagent/core/node"
 *
 * export const layer = LedgerFile.layer({ directory: "ledger", owner: ProcessOwner.current() })
 * ```
 */
export const layer = (options: LedgerFileOptions): Layer.Layer<never, never, FileSystem.FileSystem> =>
  Layer.effect(Ledger.Current, make(options))
