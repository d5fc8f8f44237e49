import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { appendFileSync, copyFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { type Answer, ready, send, start, until } from "./program.ts"
import { canMount, volume } from "./volume.ts"

const volume_MB = 16

/** Creates of runs that together write a multiple of the volume to the log. */
const creates = 300

const serve = Effect.fnUntraced(function* (file: string) {
  const program = yield* start(["serve", "--port", "0", "--data", file, "--api-key", "K"])
  const { v4 = "" } = yield* ready(program)
  const stop = Effect.andThen(
    Effect.sync(() => program.process.kill("SIGKILL")),
    program.ended
  )
  return {
    create: send(v4, "K", "POST", "/runs", { task: "Find a red mug" }),
    health: send(new URL(v4).origin, "K", "GET", "/health"),
    ready: send(new URL(v4).origin, "K", "GET", "/ready"),
    stop
  }
})

/** Writes to a file until the volume has no space left. */
const fill = (path: string) => {
  for (let size = 2 ** 20; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) appendFileSync(path, Buffer.alloc(size))
    } catch {
      // the next one is smaller
    }
  }
}

const isAvailable = ({ status }: Answer) => status === 200

// mounting a volume takes root on Linux
describe.skipIf(!canMount)("a server on a full disk", () => {
  it.live("accepts creates that write far more to the log than the volume has space for", () =>
    Effect.gen(function* () {
      const file = join(yield* volume(volume_MB), "server.db")
      const { create } = yield* serve(file)
      for (let count = 0; count < creates; count++) assert.strictEqual((yield* create).status, 201)
    })
  )

  it.live("returns 503 with a reason on /health and /ready, logs it once, and recovers when there is space", () =>
    Effect.gen(function* () {
      const at = yield* volume(volume_MB)
      const filler = join(at, "filler")
      const { create, health, ready, stop } = yield* serve(join(at, "server.db"))
      assert.isTrue(isAvailable(yield* ready))
      // each time the server empties its log, there is space again for a moment
      const filled = Effect.andThen(
        Effect.sync(() => fill(filler)),
        create
      )
      yield* until(filled, ({ status }) => status === 503)
      for (let count = 0; count < 20; count++) yield* filled
      for (const probe of [ready, health]) {
        const { body } = yield* until(Effect.andThen(filled, probe), ({ status }) => status === 503)
        assert.strictEqual(body["reason"], "Writes to the database fail")
      }
      rmSync(filler)
      yield* until(ready, isAvailable)
      assert.strictEqual((yield* create).status, 201)
      const { stderr } = yield* stop
      assert.lengthOf(stderr.match(/ fail, so \/ready .*: database or disk is full/gu) ?? [], 1)
      assert.match(stderr, /Writes to \S+ succeed again/u)
    })
  )

  it.live("detects it while idle", () =>
    Effect.gen(function* () {
      const at = yield* volume(volume_MB)
      const { ready } = yield* serve(join(at, "server.db"))
      const filled = Effect.sync(() => fill(join(at, "filler")))
      yield* until(Effect.andThen(filled, ready), ({ status }) => status === 503)
    })
  )

  it.live("empties a log at its start that was left too large, and accepts creates again", () =>
    Effect.gen(function* () {
      const at = yield* volume(volume_MB)
      const [file, copy] = [join(at, "server.db"), join(at, "copy.db")]
      const log = `${file}-wal`
      const first = yield* serve(file)
      assert.strictEqual((yield* first.create).status, 201)
      yield* first.stop
      // a log of 5 MB, as an earlier version left it: copies of the same page, and new pages that the file lacks
      const db = new DatabaseSync(file)
      db.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0")
      db.exec("INSERT INTO secrets VALUES ('filler', x'00')")
      while (statSync(log).size < 5 * 2 ** 20) db.exec("UPDATE secrets SET value = randomblob(8) WHERE name = 'filler'")
      db.exec("INSERT INTO secrets VALUES ('more', randomblob(12000))")
      // as they are after a kill: nothing closed the file
      for (const part of ["", "-wal", "-shm"]) copyFileSync(`${file}${part}`, `${copy}${part}`)
      db.close()
      fill(join(at, "filler"))
      const second = yield* serve(copy)
      assert.isBelow(statSync(`${copy}-wal`).size, 2 ** 20)
      yield* until(second.ready, isAvailable)
      assert.strictEqual((yield* second.create).status, 201)
    })
  )
})
