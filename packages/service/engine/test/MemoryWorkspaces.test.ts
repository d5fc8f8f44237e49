import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { isFileName, isFilePath } from "../src/domain/Workspace.ts"
import * as MemoryWorkspaces from "../src/MemoryWorkspaces.ts"
import { ids } from "./countedIds.ts"

const sizeOf = (bytes: Stream.Stream<Uint8Array, unknown>) =>
  Effect.map(Stream.runCollect(bytes), (chunks) => Buffer.concat(chunks).length)

const storage = MemoryWorkspaces.make()

describe("MemoryWorkspaces", () => {
  it.effect("continues with the records of another instance", () =>
    Effect.gen(function* () {
      const before = yield* storage
      const { id } = yield* before.workspaces.create("Data")
      const [upload] = yield* before.workspaces.upload(id, [{ path: "a", size: 3, contentType: "text/plain" }], true)
      yield* before.workspaces.write(upload?.id ?? "", Stream.make(new Uint8Array(3)), 3)
      const { workspaces } = yield* MemoryWorkspaces.make({}, yield* before.records)
      assert.deepStrictEqual(yield* workspaces.find(id), yield* before.workspaces.find(id))
      assert.strictEqual(yield* sizeOf((yield* workspaces.read(id, "a")).bytes), 3)
    }).pipe(Effect.provide(ids))
  )
})

describe("file paths", () => {
  it("have names of at most 255 bytes without separators, control characters or only dots", () => {
    for (const name of ["a", ".env", "a b.csv", "..a", "é", "x".repeat(255)]) assert.isTrue(isFileName(name), name)
    for (const name of ["", ".", "..", "a/b", "a\\b", "a\n", "a\u0000", "x".repeat(256), "é".repeat(128)]) {
      assert.isFalse(isFileName(name), name)
    }
  })

  it("consist of valid names", () => {
    for (const path of ["a", "a/b.csv", "a/.b/c"]) assert.isTrue(isFilePath(path), path)
    for (const path of ["", "/a", "a/", "a//b", "../a", "a/../b", "a/./b", `${"a/".repeat(600)}b`]) {
      assert.isFalse(isFilePath(path), path)
    }
  })
})
