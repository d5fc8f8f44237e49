import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { exceeds } from "../../src/process/FolderSize.ts"
import { runtime } from "../support/chromium.ts"

const mebibyte = 1024 * 1024

it.live("FolderSize finds a folder with files that are too large, and one with too many, without following links", () =>
  Effect.gen(function* () {
    const folder = yield* runtime
    const isOver = (limit_bytes: number) => Effect.promise(() => exceeds(folder, limit_bytes))
    const deep = join(folder, "one", "two")
    mkdirSync(deep, { recursive: true })
    symlinkSync("/", join(deep, "all"))
    symlinkSync(folder, join(deep, "again"))
    writeFileSync(join(deep, "sparse"), "")
    truncateSync(join(deep, "sparse"), 1024 * mebibyte)
    assert.isFalse(yield* isOver(mebibyte))
    writeFileSync(join(deep, "large"), Buffer.alloc(2 * mebibyte, 1))
    assert.isTrue(yield* isOver(mebibyte))
    assert.isFalse(yield* isOver(3 * mebibyte))
    for (let n = 0; n < 200; n++) writeFileSync(join(deep, `small-${n}`), "")
    assert.isTrue(yield* isOver(3 * mebibyte))
    rmSync(folder, { recursive: true })
    assert.isFalse(yield* isOver(0))
  }).pipe(Effect.scoped)
)
