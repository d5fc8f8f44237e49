import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { TestPostgres } from "@webagent/test-postgres"
import { folder, ready, send, start } from "./program.ts"

const key = "wak_read_only"

/** Runs a command on a read-only root with an empty, read-only cache; only these folders can be written. */
const readOnly = (...writable: ReadonlyArray<string>) =>
  [
    ["bwrap", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ["--tmpfs", "/var/cache", "--remount-ro", "/var/cache"],
    writable.flatMap((path) => ["--bind", path, path]),
    // a server that is root starts browsers as another user
    process.getuid?.() === 0 ? ["--cap-add", "ALL"] : [],
    "--"
  ].flat()

const [program = "", ...args] = [...readOnly(), "true"]
const canMount = existsSync("/var/cache") && spawnSync(program, args).status === 0
const skipped = canMount ? "" : " (skipped without bubblewrap, or where users can't make namespaces)"

it.live.skipIf(!canMount)(`Chromium starts on a read-only root from the data folder${skipped}`, () =>
  Effect.gen(function* () {
    const path = yield* folder
    const [data, temporary] = [join(path, "data"), join(path, "tmp")]
    for (const one of [path, data, temporary]) {
      mkdirSync(one, { recursive: true })
      chmodSync(one, 0o711)
    }
    const served = yield* start(
      [
        ["serve", "--browsers", "chromium", "--min-isolation", "none", "--port", "0", "--api-key", key],
        ["--data", join(data, "server.db")]
      ].flat(),
      { TMPDIR: temporary, XDG_CACHE_HOME: "/var/cache" },
      undefined,
      readOnly(data, temporary)
    )
    const { v4 } = yield* ready(served)
    assert.strictEqual((yield* send(v4, key, "POST", "/browsers", {})).status, 201)
    assert.match(readdirSync(join(data, "cache")).join(), /^chromium-[\d.]+$/u)
  }).pipe(Effect.scoped)
)

it.live.skipIf(!canMount)(`a server on Postgres names the recordings folder that it can't create${skipped}`, () =>
  Effect.gen(function* () {
    const path = yield* folder
    chmodSync(path, 0o711)
    const empty = yield* folder
    const postgres = yield* Effect.flatMap(Layer.build(TestPostgres.layer), (context) =>
      Effect.provideContext(
        TestPostgres.use(({ database }) => database),
        context
      )
    )
    const args = [
      "serve",
      "--browsers",
      "chromium",
      "--min-isolation",
      "none",
      "--port",
      "0",
      "--api-key",
      key,
      "--data",
      postgres
    ]
    const environment = { TMPDIR: path, XDG_CACHE_HOME: "/var/cache" }
    const served = yield* start(args, environment, undefined, readOnly(path), empty)
    const { code, stderr } = yield* served.ended
    assert.match(
      stderr,
      /^Cannot create \/\S+\/\.webagent\/recordings\. Start the server in a folder that it can write to\.$/mu
    )
    assert.strictEqual(code, 2)
  }).pipe(Effect.scoped)
)

it.live.skipIf(!canMount)(`a server names a recordings folder that it can't write to${skipped}`, () =>
  Effect.gen(function* () {
    const path = yield* folder
    chmodSync(path, 0o711)
    const recordings = join(path, "recordings")
    mkdirSync(recordings)
    const args = ["serve", "--browsers", "chromium", "--min-isolation", "none", "--port", "0", "--api-key", key]
    const around = [...readOnly(path).slice(0, -1), "--ro-bind", recordings, recordings, "--"]
    const data = ["--data", join(path, "server.db")]
    const served = yield* start([...args, ...data], { TMPDIR: path }, undefined, around)
    const { code, stderr } = yield* served.ended
    assert.include(stderr, `Cannot write to ${recordings}. Make it writable for the user of the server.\n`)
    assert.strictEqual(code, 2)
  }).pipe(Effect.scoped)
)
