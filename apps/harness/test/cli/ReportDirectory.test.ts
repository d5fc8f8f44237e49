import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { systemError } from "effect/PlatformError"
import * as ReportDirectory from "../../src/cli/reports/ReportDirectory.ts"

const refusal = (code: string, path: string) =>
  systemError({
    _tag: "PermissionDenied",
    module: "FileSystem",
    method: "access",
    pathOrDescriptor: path,
    cause: Object.assign(new Error("refused"), { code })
  })

describe("ReportDirectory", () => {
  for (const given of ["/reports", undefined]) {
    it.effect(`refuses a folder that can't be written to before anything runs: ${given ?? "the default"}`, () =>
      Effect.gen(function* () {
        const mistake = yield* Effect.flip(ReportDirectory.create(given))
        assert.match(
          mistake.message,
          /^The reports cannot be written: no permission to use \S+\. Choose another folder with --report-dir\.$/u
        )
        assert.strictEqual(mistake.exitCode, 2)
      }).pipe(
        Effect.provide(
          FileSystem.layerNoop({
            makeDirectory: () => Effect.void,
            access: (path, options) => (options?.writable === true ? Effect.fail(refusal("EACCES", path)) : Effect.void)
          })
        )
      )
    )
  }
})
