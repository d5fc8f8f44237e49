import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { folder, ready, start } from "./program.ts"

// a user namespace in which no other can be made, and a user in it who isn't root
const forbidden = `echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --inh-caps=-all --ambient-caps=-all "$@"`
const around = [
  ["unshare", "-U", "--map-user=1000", "--map-group=1000", "--keep-caps"],
  ["/bin/sh", "-c", forbidden, "sh"]
].flat()
const [program = "", ...args] = [...around, "true"]
const canForbid = spawnSync(program, args).status === 0
const skipped = canForbid ? "" : " (skipped without user namespaces to forbid, or without unshare and setpriv)"

it.live.skipIf(!canForbid)(
  `a server starts without namespaces only with --min-isolation chromium or none${skipped}`,
  () =>
    Effect.gen(function* () {
      const path = yield* folder
      chmodSync(path, 0o711)
      const temporary = join(path, "tmp")
      mkdirSync(temporary)
      const serve = (...more: ReadonlyArray<string>) =>
        start(
          [
            ["serve", "--browsers", "chromium", "--port", "0", "--api-key", "wak_isolation"],
            ["--data", join(path, "server.db")],
            more
          ].flat(),
          { TMPDIR: temporary, XDG_CACHE_HOME: temporary },
          undefined,
          around
        )
      for (const [flags, ending] of [
        [[], "--min-isolation chromium or --min-isolation none"],
        [["--min-isolation", "chromium"], "--min-isolation none"]
      ] as const) {
        const refused = yield* serve(...flags)
        const { code, stderr } = yield* refused.ended
        assert.strictEqual(code, 2, stderr)
        const [line = "", ...others] = stderr
          .trim()
          .split("\n")
          .filter((text) => !text.includes("level="))
        assert.match(
          line,
          /^No browser starts with the isolation level \w+: .+ (?:Let users make namespaces \(.+\)|Install the package bubblewrap), or accept/u
        )
        assert.isTrue(line.endsWith(`accept less with ${ending}.`), line)
        assert.deepStrictEqual(others, [])
      }
      const { browsers } = yield* Effect.flatMap(serve("--min-isolation", "none"), ready)
      assert.isDefined(browsers)
    }).pipe(Effect.scoped)
)

/** Runs a command in a container whose engine masks a part of /proc. */
const masked = [
  ["bwrap", "--die-with-parent", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
  ["--ro-bind", "/dev/null", "/proc/version"],
  // a server that is root starts browsers as another user
  process.getuid?.() === 0 ? ["--cap-add", "ALL"] : [],
  "--"
].flat()
const [mask = "", ...maskArgs] = [...masked, "true"]
// browsers get bubblewrap of the system alone
const canMask = existsSync("/usr/bin/bwrap") && spawnSync(mask, maskArgs).status === 0
const unmasked = canMask ? "" : " (skipped without bubblewrap, or where users can't make namespaces)"

it.live.skipIf(!canMask)(`a server asks for /proc, and not for bubblewrap, if a container masks /proc${unmasked}`, () =>
  Effect.gen(function* () {
    const path = yield* folder
    chmodSync(path, 0o711)
    const temporary = join(path, "tmp")
    mkdirSync(temporary)
    const refused = yield* start(
      ["serve", "--browsers", "chromium", "--port", "0", "--api-key", "wak_masked", "--data", join(path, "server.db")],
      { TMPDIR: temporary, XDG_CACHE_HOME: temporary },
      undefined,
      masked
    )
    const { code, stderr } = yield* refused.ended
    assert.strictEqual(code, 2, stderr)
    assert.include(stderr, "Can't mount proc")
    assert.include(stderr, " Let the container mount /proc (systempaths=unconfined in Docker")
    assert.notInclude(stderr, "Install the package bubblewrap")
  }).pipe(Effect.scoped)
)
