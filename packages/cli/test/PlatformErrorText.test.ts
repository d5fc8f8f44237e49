import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { systemError } from "effect/PlatformError"
import { join } from "node:path"
import { describePlatformError } from "../src/PlatformErrorText.ts"

describe("PlatformErrorText", () => {
  it.effect("explains refusals of a real file system", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const file = join(folder, "afile")
      yield* fs.writeFileString(file, "")
      const refused = (effect: Effect.Effect<unknown, Parameters<typeof describePlatformError>[0]>) =>
        Effect.map(Effect.flip(effect), describePlatformError)
      assert.strictEqual(yield* refused(fs.makeDirectory(file)), `${file} exists and is not a folder`)
      assert.strictEqual(
        yield* refused(fs.makeDirectory(join(file, "x"), { recursive: true })),
        `a part of ${join(file, "x")} is a file, not a folder`
      )
      assert.strictEqual(yield* refused(fs.writeFileString(folder, "")), `${folder} is a folder, not a file`)
      assert.strictEqual(
        yield* refused(fs.writeFileString(join(folder, "no", "x"), "")),
        `${join(folder, "no", "x")} does not exist`
      )
      assert.match(yield* refused(fs.makeDirectory(join(folder, "x".repeat(300)))), /^the name is too long$/u)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it("explains errors that a test can't cause, and unknown ones", () => {
    const refused = (code: string, module = "FileSystem") =>
      describePlatformError(
        systemError({
          _tag: "Unknown",
          module,
          method: "any",
          pathOrDescriptor: "/reports",
          cause: Object.assign(new Error("refused"), { code })
        })
      )
    assert.strictEqual(refused("EACCES"), "no permission to use /reports")
    assert.strictEqual(refused("EROFS"), "/reports is read-only")
    assert.strictEqual(refused("ENOSPC"), "no space is left for /reports")
    assert.strictEqual(refused("EMFILE"), "the system refused /reports (EMFILE)")
    assert.strictEqual(refused("EACCES", "ChildProcess"), "the system refused /reports (EACCES)")
  })
})
