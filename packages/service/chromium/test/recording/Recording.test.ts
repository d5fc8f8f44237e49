import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { execFileSync } from "node:child_process"
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Encoder from "../../src/recording/Encoder.ts"
import * as Matroska from "../../src/recording/Matroska.ts"
import * as Player from "../../src/recording/Player.ts"
import * as RecordingFolder from "../../src/recording/RecordingFolder.ts"
import * as Spool from "../../src/recording/Spool.ts"
import { layer, look, ports, shown, until } from "../support/live.ts"

/** A red picture of 16 by 8 pixels. */
const red = Buffer.from(
  "/9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAgUFBcUFxsbGxsbGyAeICEhISAgICAhISEkJCQqKiokJCQhISQkKCgqKi4vLisrKisvLzIyMjw8OTlGRkhWVmf/xABMAAEBAAAAAAAAAAAAAAAAAAAABgEBAQAAAAAAAAAAAAAAAAAABgcQAQAAAAAAAAAAAAAAAAAAAAARAQAAAAAAAAAAAAAAAAAAAAD/wAARCAAIABADASIAAhEAAxEA/9oADAMBAAIRAxEAPwCLAFF/f//Z",
  "base64"
)

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "webagent-test-recording-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const withoutFfmpeg = ConfigProvider.layer(ConfigProvider.fromUnknown({ PATH: "/nowhere" }))

const ffmpeg = Effect.runSync(Encoder.find)

/** The times of the pictures of a page that plays a recording. */
const timesOf = (path: string) =>
  [...readFileSync(path, "utf8").matchAll(/data-at="(\d+)">[\w+/=]+</gu)].map(([, at]) => Number(at))

describe("a spool", () => {
  it.effect("has pictures with their times, the last one shown up to the end", () =>
    Effect.gen(function* () {
      const file = join(yield* temporary, "a.spool")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const spool = yield* Spool.open(file, Spool.defaultLimits)
          yield* spool.show(red)
          yield* TestClock.adjust("1500 millis")
          yield* spool.show(red)
          yield* TestClock.adjust("10 seconds")
        })
      )
      const all = [...Matroska.frames(file)]
      assert.deepStrictEqual(
        all.map(({ at_ms }) => at_ms),
        [0, 1500, 11_500]
      )
      assert.isTrue(all.every(({ jpeg }) => red.equals(jpeg)))
      assert.deepStrictEqual(Matroska.sizeOf(red), { width: 16, height: 8 })
      // the server was killed while it wrote
      truncateSync(file, readFileSync(file).length - 1)
      assert.lengthOf([...Matroska.frames(file)], 2)
      writeFileSync(file, "no spool at all")
      assert.lengthOf([...Matroska.frames(file)], 0)
    }).pipe(Effect.scoped)
  )

  it.effect("writes nothing after it is closed, not even to a file that has its number by then", () => {
    const said: Array<unknown> = []
    const log = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
    return Effect.gen(function* () {
      const folder = yield* temporary
      const { show } = yield* Effect.scoped(
        Effect.tap(Spool.open(join(folder, "a.spool"), Spool.defaultLimits), (spool) => spool.show(red))
      )
      const other = openSync(join(folder, "other"), "w")
      yield* show(red)
      closeSync(other)
      assert.deepStrictEqual([statSync(join(folder, "other")).size, said], [0, []])
    }).pipe(Effect.scoped, Effect.provide(log))
  })

  it.effect("ends at its limit, which the log reports once", () => {
    const said: Array<unknown> = []
    const log = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
    return Effect.gen(function* () {
      const file = join(yield* temporary, "a.spool")
      yield* Effect.scoped(
        Effect.gen(function* () {
          const spool = yield* Spool.open(file, { bytes: 1_000_000, duration_ms: 60_000 })
          yield* spool.show(red)
          yield* TestClock.adjust("1 minute")
          yield* spool.show(red)
          yield* spool.show(red)
        })
      )
      assert.lengthOf([...Matroska.frames(file)], 1)
      const small = join(yield* temporary, "b.spool")
      yield* Effect.scoped(
        Effect.flatMap(Spool.open(small, { bytes: 3 * red.length, duration_ms: 60_000 }), ({ show }) =>
          Effect.forEach(Array.from({ length: 9 }), () => show(red))
        )
      )
      const sentence = "The recording ends here, at its limit, after 0 min and 0 MiB."
      assert.strictEqual(Matroska.commentOf(small), sentence)
      assert.isUndefined(Matroska.commentOf(import.meta.filename))
      const page = join(yield* temporary, "b.html")
      yield* Effect.promise(() => Player.write(small, page))
      assert.include(readFileSync(page, "utf8"), `<p id="comment" role="note">${sentence}</p>`)
      assert.isAtMost(readFileSync(small).length - Matroska.comment(sentence).length, 3 * red.length)
      assert.deepStrictEqual(said, [
        `The recording ${file} ends at its limit, after 1 min and 0 MiB.`,
        `The recording ${small} ends at its limit, after 0 min and 0 MiB.`
      ])
    }).pipe(Effect.scoped, Effect.provide(log))
  })
})

describe("a folder of recordings", () => {
  it.live("finishes recordings of a killed server, and deletes old ones", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      writeFileSync(
        join(folder, "left.spool"),
        Buffer.concat([Matroska.head({ width: 16, height: 8 }), Matroska.frame(7, red), red])
      )
      writeFileSync(join(folder, "other.partial"), "half of a video")
      const { find, prune } = yield* RecordingFolder.make({ folder })
      const found = Option.getOrThrow(yield* find("left"))
      assert.deepStrictEqual(readdirSync(folder), ["left.html"])
      assert.deepStrictEqual(timesOf(found.path), [7])
      assert.strictEqual(found.contentType, "text/html; charset=utf-8")
      for (const id of ["other", "../left", "left.html", ""]) assert.isTrue(Option.isNone(yield* find(id)), id)
      assert.strictEqual(yield* prune(found.finishedAt_ms - 1), 0)
      assert.strictEqual(yield* prune(found.finishedAt_ms), 1)
      assert.deepStrictEqual(readdirSync(folder), [])
    }).pipe(Effect.scoped, Effect.provide(withoutFfmpeg))
  )

  it.live("has a page even for a browser without pictures", () =>
    Effect.gen(function* () {
      const { find, record } = yield* RecordingFolder.make()
      const early = yield* Effect.scoped(
        Effect.andThen(record("empty"), Effect.forkDetach(find("empty"), { startImmediately: true }))
      )
      assert.isTrue(Option.isSome(yield* Fiber.join(early)))
      const { path } = Option.getOrThrow(yield* find("empty"))
      assert.include(readFileSync(path, "utf8"), "The browser was stopped before it showed anything.")
      assert.lengthOf(timesOf(path), 0)
    }).pipe(Effect.scoped)
  )
})

/** Records a browser that shows three pages. */
const recorded = Effect.gen(function* () {
  const began_ms = Date.now()
  const id = yield* Effect.scoped(
    Effect.gen(function* () {
      const { id, run } = yield* shown({ recording: true })
      const { seen } = yield* look()
      yield* until(() => seen.length > 0)
      for (const colour of ["tomato", "gold", "teal"]) {
        const { length } = seen
        yield* run(`document.body.style.background = "${colour}"`)
        yield* until(() => seen.length > length)
        yield* Effect.sleep("400 millis")
      }
      return id
    })
  )
  const { recordings } = yield* ports
  const found = Option.getOrThrow(yield* recordings.find(id))
  return { ...found, atMost_ms: Date.now() - began_ms }
})

describe("pictures of steps", () => {
  it.live("are kept next to recordings, privately, until they are old", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const { find, keep, prune } = yield* RecordingFolder.make({ folder })
      const id = (yield* keep("browser", "turn-1", red)) ?? assert.fail("no room")
      const found = Option.getOrThrow(yield* find(id))
      assert.deepInclude(found, { contentType: "image/jpeg", bytes: red.length })
      assert.isTrue(red.equals(readFileSync(found.path)))
      assert.strictEqual(statSync(found.path).mode & 0o077, 0)
      for (const other of ["browser", "browser/turn-2", "browser/../browser/turn-1", `${id}.jpg`, "/turn-1"]) {
        assert.isTrue(Option.isNone(yield* find(other)), other)
      }
      assert.isNull(yield* keep("..", "turn-1", red))
      assert.isNull(yield* keep("browser", "../turn-1", red))
      const { mtimeMs } = statSync(dirname(found.path))
      assert.strictEqual(yield* prune(mtimeMs - 1), 0)
      assert.strictEqual(yield* prune(mtimeMs), 1)
      assert.deepStrictEqual(readdirSync(folder), [])
    }).pipe(Effect.scoped)
  )

  it.live("replace older ones, including those from before a restart, but never their own browser's", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const total_bytes = 4 * red.length
      const before = yield* RecordingFolder.make({ folder, total_bytes })
      for (const name of ["1", "2"]) assert.isNotNull(yield* before.keep("old", name, red))
      utimesSync(join(folder, "old.pictures"), 1, 1)
      const { find, keep } = yield* RecordingFolder.make({ folder, total_bytes })
      for (const name of ["1", "2", "3", "4"]) assert.isNotNull(yield* keep("new", name, red), name)
      assert.deepStrictEqual(readdirSync(folder), ["new.pictures"])
      assert.isNull(yield* keep("new", "5", red))
      assert.isTrue(Option.isSome(yield* find("new/4")))
      assert.isTrue(Option.isNone(yield* find("new/5")))
    }).pipe(Effect.scoped)
  )

  it.live("are left out if they can't be written", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const { keep } = yield* RecordingFolder.make({ folder })
      writeFileSync(join(folder, "browser.pictures"), "no folder")
      assert.isNull(yield* keep("browser", "1", red))
    }).pipe(Effect.scoped, Effect.provide(Logger.layer([])))
  )
})

describe("the space for all recordings", () => {
  it.live("goes to the newest: the oldest are deleted, and one without space ends with a sentence", () =>
    Effect.gen(function* () {
      const folder = yield* temporary
      const old = Buffer.alloc(20_000)
      writeFileSync(join(folder, "old.webm"), old)
      writeFileSync(join(folder, "newer.webm"), old)
      utimesSync(join(folder, "old.webm"), 1, 1)
      const total_bytes = 2 * old.length + 200
      const { find, record } = yield* RecordingFolder.make({ folder, total_bytes })
      const spooled = Effect.fnUntraced(function* (id: string, count: number) {
        const { show } = yield* record(id)
        for (let n = 0; n < count; n++) yield* show(red)
      }, Effect.scoped)

      yield* spooled("short", 1)
      assert.isTrue(Option.isSome(yield* find("short")))
      // a page has more bytes than its pictures
      assert.isFalse(existsSync(join(folder, "old.webm")))

      yield* spooled("long", 300)
      const long = readFileSync(Option.getOrThrow(yield* find("long")).path, "utf8")
      assert.match(
        long,
        /role="note">The recording ends here, because all recordings together are limited to 0 GiB\.</u
      )
      assert.isFalse(existsSync(join(folder, "newer.webm")))
    }).pipe(Effect.scoped, Effect.provide(withoutFfmpeg))
  )
})

describe("a browser's recording", () => {
  it.live("has only the stored pictures once the browser is concealed", () =>
    Effect.gen(function* () {
      const { recordings, views } = yield* ports
      const { id, later } = yield* Effect.scoped(
        Effect.gen(function* () {
          const { id, run } = yield* shown({ recording: true })
          const { seen } = yield* look()
          yield* until(() => seen.length > 0)
          yield* views.conceal(id)
          const { length } = seen
          for (const colour of ["tomato", "teal"]) {
            const { length } = seen
            yield* run(`document.body.style.background = "${colour}"`)
            yield* until(() => seen.length > length)
          }
          yield* recordings.keep(id, "turn-1", red)
          return { id, later: seen.slice(length) }
        })
      )
      const recording = readFileSync(Option.getOrThrow(yield* recordings.find(id)).path, "utf8")
      assert.include(recording, red.toString("base64"))
      for (const jpeg of later) assert.notInclude(recording, Buffer.from(jpeg).toString("base64"))
    }).pipe(Effect.provide(layer()), Effect.provide(withoutFfmpeg))
  )

  it.live("is a page that plays it if there is no ffmpeg", () =>
    Effect.gen(function* () {
      const { atMost_ms, contentType, path } = yield* recorded
      assert.strictEqual(contentType, "text/html; charset=utf-8")
      const times = timesOf(path)
      assert.isAtLeast(times.length, 4)
      assert.deepStrictEqual(
        times.toSorted((one, other) => one - other),
        times
      )
      assert.isAtLeast(times.at(-1) ?? 0, 1200)
      assert.isAtMost(times.at(-1) ?? 0, atMost_ms)
    }).pipe(Effect.provide(layer()), Effect.provide(withoutFfmpeg))
  )

  // ffmpeg is a package of the system: where it is not installed, the test above is what happens
  it.live.skipIf(ffmpeg === null)("is a video if there is ffmpeg", () =>
    Effect.gen(function* () {
      const { atMost_ms, contentType, path } = yield* recorded
      assert.strictEqual(contentType, "video/webm")
      const said = execFileSync(ffmpeg ?? "", ["-hide_banner", "-i", path, "-progress", "-", "-f", "null", "-"], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"]
      })
      const of = (name: string) =>
        Number(new RegExp(`^${name}=(\\d+)`, "gmu").exec(said.slice(said.lastIndexOf("frame=")))?.[1])
      assert.isAtLeast(of("frame"), 4)
      assert.isAtLeast(of("out_time_us") / 1000, 1200)
      assert.isAtMost(of("out_time_us") / 1000, atMost_ms + 100)
    }).pipe(Effect.provide(layer()))
  )
})
