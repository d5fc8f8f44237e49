import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as PlatformError from "effect/PlatformError"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as IdempotencyKey from "./IdempotencyKey.ts"
import * as Ledger from "./Ledger.ts"
import { LedgerEntry, OpenItems } from "./LedgerEntry.ts"

/** Where a ledger in files is kept. */
export interface LedgerFileOptions {
  /** A folder that all processes of an application share; each writes files of its own there. It is made if need be. */
  readonly directory: string
  /** Who writes, such as `ProcessOwner.current()` of `@webagent/core/node`: items that are open carry it, so that nobody stops what is still in use. */
  readonly owner?: string | undefined
}

/**
 * The format of the files, in their first line `{"ledger":1,"owner":...}`. Each further line is a LedgerEntry as JSON.
 * A reader skips entries that it does not know, and refuses another format.
 */
export const format = 1

const Head = Schema.Struct({ ledger: Schema.Finite, owner: Schema.optionalKey(Schema.String) })
const decodeHead = Schema.decodeUnknownResult(Schema.fromJsonString(Head))
const decodeEntry = Schema.decodeUnknownResult(Schema.fromJsonString(LedgerEntry))

const failed = (what: string) => (error: PlatformError.PlatformError) =>
  Effect.fail(new Ledger.LedgerError({ message: `${what}: ${error.message}` }))

interface Line {
  readonly entry: LedgerEntry
  readonly owner: string | undefined
  /** When it happened, or the line before it, if that says later. */
  readonly at_ms: number
}

const readFile = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, path: string) {
  const lines = (yield* fs.readFileString(path).pipe(Effect.catch(failed(`The ledger ${path} cannot be read`)))).split(
    "\n"
  )
  // what follows the last line end was being written when its process died: it never took effect
  lines.pop()
  const [first, ...rest] = lines
  if (first === undefined) return []
  const head = decodeHead(first)
  if (Result.isFailure(head) || head.success.ledger !== format) {
    return yield* new Ledger.LedgerError({
      message: `${path} is not a ledger of format ${format}: read it with the version that wrote it, or move it away.`
    })
  }
  const { owner } = head.success
  let at_ms = Number.NEGATIVE_INFINITY
  return rest.flatMap((line): ReadonlyArray<Line> => {
    const entry = decodeEntry(line)
    if (Result.isFailure(entry)) return []
    // a clock that was set back does not put an answer before its create
    at_ms = Math.max(at_ms, entry.success.at_ms)
    return [{ entry: entry.success, owner, at_ms }]
  })
})

const readAll = Effect.fnUntraced(function* (fs: FileSystem.FileSystem, directory: string) {
  const names = yield* fs.exists(directory).pipe(
    Effect.flatMap((exists) => (exists ? fs.readDirectory(directory) : Effect.succeed([]))),
    Effect.catch(failed(`The ledger's folder ${directory} cannot be read`))
  )
  const files = names.filter((name) => name.endsWith(".ndjson")).toSorted()
  const lines = (yield* Effect.forEach(files, (name) => readFile(fs, `${directory}/${name}`))).flat()
  const items = new OpenItems()
  // who reaps writes "closed" into a file of its own, by a clock of its own: an end comes after every beginning
  const isEnd = ({ entry }: Line) => Number(entry._tag === "closed")
  for (const { entry, owner } of lines.toSorted((a, b) => isEnd(a) - isEnd(b) || a.at_ms - b.at_ms)) {
    items.add(entry, owner)
  }
  return items.list()
})

/** A ledger in files: what was opened is on the disk before its create goes out, and outlives a killed process. */
export const make = Effect.fnUntraced(function* ({
  directory,
  owner
}: LedgerFileOptions): Effect.fn.Return<Ledger.Ledger, never, FileSystem.FileSystem | Scope.Scope> {
  const fs = yield* FileSystem.FileSystem
  const scope = yield* Effect.scope
  const oneAtATime = Semaphore.makeUnsafe(1)
  const encoder = new TextEncoder()
  let file: FileSystem.File | undefined

  const append = (file: FileSystem.File, value: object) =>
    Effect.andThen(file.writeAll(encoder.encode(`${JSON.stringify(value)}\n`)), file.sync)

  // a process that creates nothing leaves no file
  const begin = Effect.gen(function* () {
    yield* fs.makeDirectory(directory, { recursive: true })
    const name = `${yield* Clock.currentTimeMillis}-${yield* IdempotencyKey.random}.ndjson`
    const opened = yield* fs.open(`${directory}/${name}`, { flag: "ax", mode: 0o600 }).pipe(Scope.provide(scope))
    yield* append(opened, { ledger: format, ...(owner === undefined ? {} : { owner }) })
    file = opened
    return opened
  })

  return {
    write: (entry) =>
      Effect.suspend(() => (file === undefined ? begin : Effect.succeed(file))).pipe(
        Effect.flatMap((file) => append(file, entry)),
        // half a line may be there: the next one begins a file of its own
        Effect.tapError(() => Effect.sync(() => (file = undefined))),
        Effect.catch(failed(`The ledger in ${directory} cannot be written`)),
        Effect.uninterruptible,
        oneAtATime.withPermit
      ),
    open: readAll(fs, directory)
  }
})

/** Provides `Ledger.Current` with a ledger in files. */
export const layer = (options: LedgerFileOptions): Layer.Layer<never, never, FileSystem.FileSystem> =>
  Layer.effect(Ledger.Current, make(options))
