import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { statSync } from "node:fs"
import { Database, WriteProbe } from "../src/index.ts"
import { file } from "./files.ts"

it.live("a repeated probe writes at least its size to the disk each time", () =>
  Effect.gen(function* () {
    const path = yield* file
    const sizes: Array<number> = []
    const probe = Effect.tap(WriteProbe.write(100_000), () =>
      Effect.sync(() => void sizes.push(statSync(`${path}-wal`).size))
    )
    yield* Effect.repeat(probe, { times: 2 }).pipe(
      Effect.provide(Database.layer({ file: path, checkpointEvery_ms: 86_400_000 }))
    )
    const [first = 0, second = 0, third = 0] = sizes
    assert.isAbove(second - first, 100_000)
    assert.isAbove(third - second, 100_000)
  })
)
