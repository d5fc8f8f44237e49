import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { join } from "node:path"
import * as Folder from "../src/Folder.ts"
import { describePlatformError } from "../src/PlatformErrorText.ts"

describe("Folder.make", () => {
  it.effect("creates missing folders above it, and accepts one that exists", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = join(yield* fs.makeTempDirectoryScoped(), "a", "b", "c")
      yield* Folder.make(path)
      yield* Folder.make(path)
      assert.isTrue(yield* fs.exists(path))
      yield* fs.writeFileString(join(path, "file"), "")
      const error = yield* Effect.flip(Folder.make(join(path, "file", "below")))
      assert.include(describePlatformError(error), "a part of")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.effect.skipIf(process.platform !== "linux")("fails below a folder that can't be written to, without looping", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Folder.make("/proc/none/below"))
      assert.match(describePlatformError(error), /^\/proc\/none/u)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
