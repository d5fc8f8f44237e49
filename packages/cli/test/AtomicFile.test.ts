import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { join } from "node:path"
import * as AtomicFile from "../src/AtomicFile.ts"

const fullDisk = (fs: FileSystem.FileSystem, path: string): FileSystem.FileSystem => ({
  ...fs,
  // as much as there is room for, and then no more
  writeFileString: (file, text) =>
    Effect.andThen(
      fs.writeFileString(file, text.slice(0, 3)),
      fs.readFileString(join(path, "no such folder", "x"))
    ).pipe(Effect.asVoid)
})

describe("AtomicFile", () => {
  it.effect("keeps the previous file if the new one could only be written in part", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const path = join(folder, "report.json")
      yield* AtomicFile.write(path, "the former")
      const error = yield* Effect.flip(
        Effect.provideService(AtomicFile.write(path, "the new"), FileSystem.FileSystem, fullDisk(fs, folder))
      )
      assert.strictEqual(error.reason._tag === "NotFound" && error.reason.pathOrDescriptor, path)
      assert.strictEqual(yield* fs.readFileString(path), "the former")
      assert.deepStrictEqual(yield* fs.readDirectory(folder), ["report.json"])
      yield* AtomicFile.write(path, "the new")
      assert.strictEqual(yield* fs.readFileString(path), "the new")
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )
})
