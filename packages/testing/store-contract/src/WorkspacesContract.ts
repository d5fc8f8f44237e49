import { assert, describe, it } from "@effect/vitest"
import { type FileContent, KeyTaken, StoreUnavailable, Workspaces, type WorkspacesService } from "@webagent/engine"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { as, type PortTest, portTest, tagOf } from "./PortTest.ts"

const bytes = (size: number) => Stream.make(new Uint8Array(Math.ceil(size / 2)), new Uint8Array(Math.floor(size / 2)))

const file = (path: string, size: number | null) => ({ path, size, contentType: "text/plain" })

const contentOf = (content: FileContent) =>
  Effect.map(Stream.runCollect(content.bytes), (chunks) => Buffer.concat(chunks).toString())

/** Announces one file and returns the id of its upload. */
const announce = (workspaces: WorkspacesService, id: string, path: string, size: number | null, replace = true) =>
  Effect.map(workspaces.upload(id, [file(path, size)], replace), ([upload]) => upload?.id ?? assert.fail("no upload"))

/** The limits of the tested storage: one workspace has at most 100 bytes, and all those of an owner 150. */
export const limits = { workspace: 100, owner: 150 } as const

type Test = PortTest<WorkspacesService>

/** Checks how many files have their bytes stored, where that is known. */
type HasStored = (count: number) => Effect.Effect<void>

const uploads = (test: Test, hasStored: HasStored) => {
  test("stores each upload once, while it's expected", function* (workspaces) {
    const { id } = yield* workspaces.create("Data \u0000 'é")
    assert.strictEqual((yield* workspaces.find(id)).name, "Data \u0000 'é")
    const [first, second, late] = yield* workspaces.upload(
      id,
      [file("b.txt", 10), file("a/c.txt", null), file("late.txt", 1)],
      true
    )
    yield* workspaces.write(first?.id ?? "", bytes(10), null)
    yield* workspaces.write(second?.id ?? "", Stream.make(Buffer.from("hel"), Buffer.from("lo")), null)
    assert.strictEqual(yield* tagOf(workspaces.write(first?.id ?? "", bytes(10), 10)), "UploadNotFound")
    assert.strictEqual(yield* tagOf(workspaces.write("\u0000", bytes(1), 1)), "UploadNotFound")
    assert.strictEqual(yield* workspaces.usedBytes(id), 15)
    const { files, hasMore } = yield* workspaces.files(id, "", "", 1)
    assert.deepStrictEqual([files.map(({ path }) => path), hasMore], [["a/c.txt"], true])
    const rest = yield* workspaces.files(id, "", "a/c.txt", 1)
    assert.deepStrictEqual([rest.files.map(({ path }) => path), rest.hasMore], [["b.txt"], false])
    assert.lengthOf((yield* workspaces.files(id, "b", "", 10)).files, 1)
    assert.lengthOf((yield* workspaces.files(id, "%", "", 10)).files, 0)
    assert.lengthOf((yield* workspaces.files(id, "\u0000", "", 10)).files, 0)
    const read = yield* workspaces.read(id, "a/c.txt")
    assert.deepInclude(read, { path: "a/c.txt", size: 5, contentType: "text/plain" })
    assert.strictEqual(yield* contentOf(read), "hello")
    yield* TestClock.adjust("15 minutes")
    assert.strictEqual(yield* tagOf(workspaces.write(late?.id ?? "", bytes(1), 1)), "UploadNotFound")
    yield* workspaces.removeFile(id, "b.txt")
    assert.strictEqual(yield* workspaces.usedBytes(id), 5)
    assert.strictEqual(yield* tagOf(workspaces.read(id, "b.txt")), "FileNotFound")
    assert.strictEqual(yield* tagOf(workspaces.read(id, "b\u0000")), "FileNotFound")
    assert.strictEqual(yield* tagOf(workspaces.removeFile(id, "b.txt")), "FileNotFound")
    yield* hasStored(1)
  })

  test("accepts only the announced number of bytes, and an interrupted upload again", function* (workspaces) {
    const { id } = yield* workspaces.create(null)
    const upload = yield* announce(workspaces, id, "a", 10)
    const refused = (content: Stream.Stream<Uint8Array>, size: number | null) =>
      Effect.flip(workspaces.write(upload, content, size))
    assert.deepInclude(yield* refused(bytes(11), 11), { _tag: "WrongSize", expected: 10, received: 11 })
    assert.deepInclude(yield* refused(bytes(9), 9), { _tag: "WrongSize", expected: 10, received: 9 })
    assert.deepInclude(yield* refused(bytes(9), null), { _tag: "WrongSize", expected: 10, received: 9 })
    // it's cut at the first byte too many
    const endless = Stream.forever(bytes(6))
    assert.deepInclude(yield* refused(endless, 10), { _tag: "WrongSize", expected: 10 })
    const cut = new StoreUnavailable({ applied: "no", cause: "cut" })
    const failing = Stream.concat(bytes(5), Stream.fail(cut))
    assert.strictEqual(yield* tagOf(workspaces.write(upload, failing, 10)), "StoreUnavailable")
    const began = yield* Deferred.make<void>()
    const slow = Stream.concat(
      Stream.fromEffect(Effect.as(Deferred.succeed(began, undefined), new Uint8Array(5))),
      Stream.never
    )
    const running = yield* Effect.forkChild(workspaces.write(upload, slow, 10))
    yield* Deferred.await(began)
    // it is not sent twice at the same time
    assert.strictEqual(yield* tagOf(workspaces.write(upload, bytes(10), 10)), "UploadNotFound")
    yield* Fiber.interrupt(running)
    assert.strictEqual(yield* workspaces.usedBytes(id), 0)
    assert.deepStrictEqual((yield* workspaces.files(id, "", "", 10)).files, [])
    yield* hasStored(0)
    yield* workspaces.write(upload, bytes(10), 10)
    assert.strictEqual(yield* workspaces.usedBytes(id), 10)
  })

  test("replaces a file, or picks a free name", function* (workspaces) {
    const { id } = yield* workspaces.create(null)
    const put = Effect.fnUntraced(function* (path: string, size: number, replace: boolean) {
      const [upload] = yield* workspaces.upload(id, [file(path, size)], replace)
      yield* workspaces.write(upload?.id ?? "", bytes(size), size)
      return [upload?.path, upload?.replaces]
    })
    assert.deepStrictEqual(yield* put("a.tar.gz", 60, true), ["a.tar.gz", false])
    assert.deepStrictEqual(yield* put("a.tar.gz", 90, true), ["a.tar.gz", true])
    yield* hasStored(1)
    assert.deepStrictEqual(yield* put("a.tar.gz", 1, false), ["a.tar (1).gz", false])
    assert.deepStrictEqual(yield* put("a.tar.gz", 1, false), ["a.tar (2).gz", false])
    assert.deepStrictEqual(yield* put(".env", 1, true), [".env", false])
    assert.deepStrictEqual(yield* put(".env", 1, false), [".env (1)", false])
    const both = yield* workspaces.upload(id, [file("x", 1), file("x", 1)], false)
    assert.deepStrictEqual(
      both.map(({ path }) => path),
      ["x", "x (1)"]
    )
    assert.strictEqual(yield* workspaces.usedBytes(id), 94)
  })

  test("never exceeds the limits of a workspace and an owner", function* (workspaces) {
    const one = yield* workspaces.create("one")
    const two = yield* workspaces.create("two")
    const refused = (id: string, size: number) => tagOf(workspaces.upload(id, [file("f", size)], true))
    assert.strictEqual(yield* refused(one.id, 101), "NoRoom")
    // an expected upload takes its bytes already
    yield* announce(workspaces, one.id, "a", 60)
    assert.strictEqual(yield* refused(one.id, 41), "NoRoom")
    assert.strictEqual(yield* refused(two.id, 91), "NoRoom")
    const unsized = yield* announce(workspaces, two.id, "u", null)
    assert.strictEqual(yield* tagOf(workspaces.write(unsized, bytes(91), 91)), "NoRoom")
    assert.strictEqual(yield* tagOf(workspaces.write(unsized, bytes(91), null)), "NoRoom")
    yield* workspaces.write(unsized, bytes(90), null)
    assert.strictEqual(yield* refused(two.id, 1), "NoRoom")
    // deleting a workspace frees its bytes, expected ones included
    yield* workspaces.remove(one.id)
    assert.strictEqual(yield* refused(two.id, 11), "NoRoom")
    yield* announce(workspaces, two.id, "f", 10)
  })

  test("counts a file's freed bytes once, however often a request replaces it", function* (workspaces) {
    const { id } = yield* workspaces.create(null)
    yield* workspaces.write(yield* announce(workspaces, id, "a", 60), bytes(60), 60)
    const twice = [file("a", 60), file("a", 60)] as const
    assert.strictEqual(yield* tagOf(workspaces.upload(id, twice, true)), "NoRoom")
    assert.lengthOf(yield* workspaces.upload(id, [file("a", 60), file("a", 40)], true), 2)
  })

  test("counts parallel uploads exactly", function* (workspaces) {
    const { id } = yield* workspaces.create(null)
    const results = yield* Effect.forEach(
      Array.from({ length: 30 }, (_, index) => `f${index}`),
      (path) =>
        announce(workspaces, id, path, path.endsWith("3") ? null : 7).pipe(
          Effect.flatMap((upload) => workspaces.write(upload, bytes(7), 7)),
          Effect.as(1),
          Effect.catchTag("NoRoom", () => Effect.succeed(0))
        ),
      { concurrency: "unbounded" }
    )
    const count = results.reduce<number>((sum, each) => sum + each, 0)
    assert.strictEqual(yield* workspaces.usedBytes(id), count * 7)
    assert.isAtMost(count * 7, 100)
    const { files } = yield* workspaces.files(id, "", "", 100)
    assert.strictEqual(
      files.reduce((sum, { size }) => sum + size, 0),
      count * 7
    )
    yield* hasStored(count)
  })
}

const records = (test: Test, hasStored: HasStored) => {
  test("reads an archived workspace and doesn't change it", function* (workspaces) {
    const { id } = yield* workspaces.create("Data")
    const stored = yield* announce(workspaces, id, "a", 1)
    const pending = yield* announce(workspaces, id, "b", 1)
    yield* workspaces.write(stored, bytes(1), 1)
    yield* workspaces.archive(id)
    assert.isTrue((yield* workspaces.find(id)).archived)
    assert.deepStrictEqual(yield* workspaces.list(0, 10), { items: [], total: 0 })
    assert.strictEqual((yield* workspaces.read(id, "a")).size, 1)
    assert.strictEqual(yield* tagOf(workspaces.upload(id, [file("c", 1)], true)), "WorkspaceArchived")
    assert.strictEqual(yield* tagOf(workspaces.removeFile(id, "a")), "WorkspaceArchived")
    assert.strictEqual(yield* tagOf(workspaces.write(pending, bytes(1), 1)), "UploadNotFound")
  })

  test("stores nothing of an upload whose workspace is archived or deleted meanwhile", function* (workspaces) {
    for (const change of [workspaces.archive, workspaces.remove]) {
      const { id } = yield* workspaces.create(null)
      const upload = yield* announce(workspaces, id, "a", 2)
      const began = yield* Deferred.make<void>()
      const changed = yield* Deferred.make<void>()
      const halves = [Deferred.succeed(began, undefined), Deferred.await(changed)]
      const slow = Stream.mapEffect(Stream.fromIterable(halves), Effect.as(new Uint8Array(1)))
      const running = yield* Effect.forkChild(tagOf(workspaces.write(upload, slow, 2)))
      yield* Deferred.await(began)
      yield* change(id)
      yield* Deferred.succeed(changed, undefined)
      assert.strictEqual(yield* Fiber.join(running), "UploadNotFound")
      yield* hasStored(0)
    }
  })

  test("shows each owner only its own", function* (workspaces) {
    const { id } = yield* as("ann")(workspaces.create("Data"))
    const refused = yield* Effect.all([
      tagOf(workspaces.find(id)),
      tagOf(workspaces.rename(id, "mine")),
      tagOf(workspaces.archive(id)),
      tagOf(workspaces.remove(id)),
      tagOf(workspaces.usedBytes(id)),
      tagOf(workspaces.files(id, "", "", 1)),
      tagOf(workspaces.upload(id, [file("a", 1)], true)),
      tagOf(workspaces.removeFile(id, "a"))
    ]).pipe(as("bob"))
    assert.isTrue(refused.every((tag) => tag === "WorkspaceNotFound"))
    assert.deepStrictEqual(yield* as("bob")(workspaces.list(0, 10)), { items: [], total: 0 })
    const later = yield* as("ann")(workspaces.create("Later"))
    assert.deepStrictEqual(yield* as("ann")(workspaces.list(0, 1)), { items: [later], total: 2 })
    const [upload] = yield* as("ann")(workspaces.upload(id, [file("a", 1)], true))
    assert.strictEqual(yield* workspaces.ownerOf(id), "ann")
    assert.strictEqual(yield* workspaces.ownerOf(upload?.id ?? ""), "ann")
    assert.isUndefined(yield* workspaces.ownerOf("\u0000"))
    assert.strictEqual((yield* as("ann")(workspaces.rename(id, "New"))).name, "New")
    const fileId = upload?.id ?? ""
    yield* workspaces.write(fileId, bytes(1), 1)
    const [attached, ...others] = yield* as("ann")(workspaces.filesById(["unknown", "\u0000", fileId]))
    assert.lengthOf(others, 0)
    assert.deepInclude(attached, { id: fileId, path: "a", size: 1 })
    assert.lengthOf(yield* as("bob")(workspaces.filesById([fileId])), 0)
  })

  test("creates nothing if an idempotency key was used", function* (workspaces) {
    const kept: Array<string> = []
    const workspace = yield* workspaces.create("Data", ({ id }) => Effect.sync(() => void kept.push(id)))
    assert.deepStrictEqual(kept, [workspace.id])
    const made = { _tag: "Workspace", workspace } as const
    const taken = new KeyTaken({ record: { key: "k", body: "b", createdAt_ms: 0, made } })
    assert.strictEqual(yield* tagOf(workspaces.create("Data", () => taken)), "KeyTaken")
    assert.strictEqual((yield* workspaces.list(0, 10)).total, 1)
  })

  test("deletes files and workspaces after their retention time", function* (workspaces) {
    const old = yield* workspaces.create("old")
    const archived = yield* workspaces.create("archived")
    const put = (id: string, path: string) =>
      Effect.flatMap(announce(workspaces, id, path, 1), (upload) => workspaces.write(upload, bytes(1), 1))
    yield* put(old.id, "a")
    yield* put(archived.id, "b")
    yield* workspaces.archive(archived.id)
    yield* TestClock.adjust("1 day")
    yield* put(old.id, "c")
    assert.strictEqual(yield* workspaces.prune(-1), 0)
    assert.isAtLeast(yield* workspaces.prune(80_000_000), 3)
    assert.deepStrictEqual(
      (yield* workspaces.files(old.id, "", "", 10)).files.map(({ path }) => path),
      ["c"]
    )
    assert.strictEqual(yield* tagOf(workspaces.find(archived.id)), "WorkspaceNotFound")
    yield* hasStored(1)
  })
}

/**
 * Tests every storage of workspaces and their files. The layer is built for each test, starts empty, and has the limits
 * above. `storedFiles` counts the files whose bytes are stored.
 */
export const workspaceContract = <E>(
  name: string,
  layer: Layer.Layer<never, E>,
  storedFiles: Effect.Effect<number | null> = Effect.succeed(null)
): void => {
  const test = portTest(Workspaces, layer, it.effect)

  const hasStored: HasStored = (count) =>
    Effect.map(storedFiles, (stored) => (stored === null ? undefined : assert.strictEqual(stored, count)))

  describe(`${name} as storage of workspaces`, () => {
    uploads(test, hasStored)
    records(test, hasStored)
  })
}
