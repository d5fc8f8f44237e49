import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { isFileName, isFilePath } from "../src/domain/Workspace.ts"
import * as MemoryWorkspaces from "../src/MemoryWorkspaces.ts"
import { Owner } from "../src/ports/Owner.ts"
import { ids } from "./countedIds.ts"

const as = (owner: string | null) => Effect.provideService(Owner, owner)

const bytes = (size: number) => new Uint8Array(size)

const file = (path: string, size: number | null) => ({ path, size, contentType: "text/plain" })

/** A workspace of 100 bytes, in a storage of 150. */
const storage = MemoryWorkspaces.make({ maxBytes: 100, maxTotalBytes: 150 })

describe("MemoryWorkspaces", () => {
  it.effect("stores each upload once, while it's expected", () =>
    Effect.gen(function* () {
      const { workspaces } = yield* storage
      const { id } = yield* workspaces.create("Data")
      const [first, second, late] = yield* workspaces.upload(
        id,
        [file("b.txt", 10), file("a/c.txt", null), file("late.txt", 1)],
        true
      )
      assert.isDefined(first)
      assert.isDefined(second)
      assert.isDefined(late)
      if (first === undefined || second === undefined || late === undefined) return
      assert.deepStrictEqual(yield* workspaces.expected(first.id), { size: 10, maxBytes: 10 })
      assert.deepStrictEqual(yield* workspaces.expected(second.id), { size: null, maxBytes: 89 })
      yield* workspaces.write(first.id, bytes(10))
      yield* workspaces.write(second.id, bytes(20))
      assert.strictEqual((yield* Effect.flip(workspaces.write(first.id, bytes(10))))._tag, "UploadNotFound")
      assert.strictEqual(yield* workspaces.usedBytes(id), 30)
      const { files, hasMore } = yield* workspaces.files(id, "", "", 1)
      assert.deepStrictEqual([files.map(({ path }) => path), hasMore], [["a/c.txt"], true])
      assert.deepStrictEqual(
        (yield* workspaces.files(id, "", "a/c.txt", 1)).files.map(({ path }) => path),
        ["b.txt"]
      )
      assert.strictEqual((yield* workspaces.files(id, "b", "", 10)).files.length, 1)
      assert.strictEqual((yield* workspaces.read(id, "a/c.txt")).bytes.length, 20)
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual((yield* Effect.flip(workspaces.expected(late.id)))._tag, "UploadNotFound")
      yield* workspaces.removeFile(id, "b.txt")
      assert.strictEqual((yield* Effect.flip(workspaces.read(id, "b.txt")))._tag, "FileNotFound")
      assert.strictEqual((yield* Effect.flip(workspaces.removeFile(id, "b.txt")))._tag, "FileNotFound")
    }).pipe(Effect.provide(ids))
  )

  it.effect("a file is replaced, or gets a name that is free", () =>
    Effect.gen(function* () {
      const { workspaces } = yield* storage
      const { id } = yield* workspaces.create(null)
      const put = Effect.fnUntraced(function* (path: string, size: number, replace: boolean) {
        const [upload] = yield* workspaces.upload(id, [file(path, size)], replace)
        yield* workspaces.write(upload?.id ?? "", bytes(size))
        return [upload?.path, upload?.replaces]
      })
      assert.deepStrictEqual(yield* put("a.tar.gz", 60, true), ["a.tar.gz", false])
      assert.deepStrictEqual(yield* put("a.tar.gz", 90, true), ["a.tar.gz", true])
      assert.deepStrictEqual(yield* put("a.tar.gz", 1, false), ["a.tar (1).gz", false])
      assert.deepStrictEqual(yield* put("a.tar.gz", 1, false), ["a.tar (2).gz", false])
      assert.deepStrictEqual(yield* put(".env", 1, true), [".env", false])
      assert.deepStrictEqual(yield* put(".env", 1, false), [".env (1)", false])
      const both = yield* workspaces.upload(id, [file("x", 1), file("x", 1)], false)
      assert.deepStrictEqual(
        both.map(({ path }) => path),
        ["x", "x (1)"]
      )
    }).pipe(Effect.provide(ids))
  )

  it.effect("never holds more than a workspace and the storage may have", () =>
    Effect.gen(function* () {
      const { workspaces } = yield* storage
      const one = yield* workspaces.create("one")
      const two = yield* workspaces.create("two")
      const refused = (id: string, size: number) =>
        Effect.map(Effect.flip(workspaces.upload(id, [file("f", size)], true)), ({ _tag }) => _tag)
      assert.strictEqual(yield* refused(one.id, 101), "NoRoom")
      // an expected upload takes its bytes already
      yield* workspaces.upload(one.id, [file("a", 60)], true)
      assert.strictEqual(yield* refused(one.id, 41), "NoRoom")
      assert.strictEqual(yield* refused(two.id, 91), "NoRoom")
      const [unsized] = yield* workspaces.upload(two.id, [file("u", null)], true)
      const error = yield* Effect.flip(workspaces.write(unsized?.id ?? "", bytes(91)))
      assert.strictEqual(error._tag, "NoRoom")
      yield* workspaces.write(unsized?.id ?? "", bytes(90))
      assert.strictEqual(yield* refused(two.id, 1), "NoRoom")
      // deleting a workspace frees its bytes, expected ones too
      yield* workspaces.remove(one.id)
      assert.strictEqual(yield* refused(two.id, 11), "NoRoom")
      yield* workspaces.upload(two.id, [file("f", 10)], true)
    }).pipe(Effect.provide(ids))
  )

  it.effect("an archived workspace is read and not changed", () =>
    Effect.gen(function* () {
      const { workspaces } = yield* storage
      const { id } = yield* workspaces.create("Data")
      const [stored, pending] = yield* workspaces.upload(id, [file("a", 1), file("b", 1)], true)
      yield* workspaces.write(stored?.id ?? "", bytes(1))
      yield* workspaces.archive(id)
      assert.isTrue((yield* workspaces.find(id)).archived)
      assert.deepStrictEqual(yield* workspaces.list(0, 10), { items: [], total: 0 })
      assert.strictEqual((yield* workspaces.read(id, "a")).size, 1)
      assert.strictEqual((yield* Effect.flip(workspaces.upload(id, [file("c", 1)], true)))._tag, "WorkspaceArchived")
      assert.strictEqual((yield* Effect.flip(workspaces.removeFile(id, "a")))._tag, "WorkspaceArchived")
      assert.strictEqual((yield* Effect.flip(workspaces.write(pending?.id ?? "", bytes(1))))._tag, "UploadNotFound")
    }).pipe(Effect.provide(ids))
  )

  it.effect("each owner sees its own", () =>
    Effect.gen(function* () {
      const { workspaces } = yield* storage
      const { id } = yield* as("ann")(workspaces.create("Data"))
      const refused = yield* Effect.all([
        Effect.flip(workspaces.find(id)),
        Effect.flip(workspaces.rename(id, "mine")),
        Effect.flip(workspaces.archive(id)),
        Effect.flip(workspaces.remove(id)),
        Effect.flip(workspaces.usedBytes(id)),
        Effect.flip(workspaces.files(id, "", "", 1)),
        Effect.flip(workspaces.upload(id, [file("a", 1)], true)),
        Effect.flip(workspaces.removeFile(id, "a"))
      ]).pipe(as("bob"))
      assert.isTrue(refused.every(({ _tag }) => _tag === "WorkspaceNotFound"))
      assert.deepStrictEqual(yield* as("bob")(workspaces.list(0, 10)), { items: [], total: 0 })
      assert.strictEqual((yield* as("ann")(workspaces.list(0, 10))).total, 1)
    }).pipe(Effect.provide(ids))
  )

  it.effect("continues with the records of another one", () =>
    Effect.gen(function* () {
      const before = yield* storage
      const { id } = yield* before.workspaces.create("Data")
      const [upload] = yield* before.workspaces.upload(id, [file("a", 3)], true)
      yield* before.workspaces.write(upload?.id ?? "", bytes(3))
      const { workspaces } = yield* MemoryWorkspaces.make({}, yield* before.records)
      assert.deepStrictEqual(yield* workspaces.find(id), yield* before.workspaces.find(id))
      assert.strictEqual((yield* workspaces.read(id, "a")).bytes.length, 3)
    }).pipe(Effect.provide(ids))
  )
})

describe("paths of files", () => {
  it("a name has no separators, control characters or dots alone, and 255 bytes at most", () => {
    for (const name of ["a", ".env", "a b.csv", "..a", "é", "x".repeat(255)]) assert.isTrue(isFileName(name), name)
    for (const name of ["", ".", "..", "a/b", "a\\b", "a\n", "a\u0000", "x".repeat(256), "é".repeat(128)]) {
      assert.isFalse(isFileName(name), name)
    }
  })

  it("a path is made of names", () => {
    for (const path of ["a", "a/b.csv", "a/.b/c"]) assert.isTrue(isFilePath(path), path)
    for (const path of ["", "/a", "a/", "a//b", "../a", "a/../b", "a/./b", `${"a/".repeat(600)}b`]) {
      assert.isFalse(isFilePath(path), path)
    }
  })
})
