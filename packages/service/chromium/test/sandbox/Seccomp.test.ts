import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { Binary } from "../../src/index.ts"
import { runtime } from "../support/chromium.ts"

/** The profile of containers with real browsers. */
const profile: {
  readonly syscalls: ReadonlyArray<{ readonly names: ReadonlyArray<string>; readonly action: string }>
} = JSON.parse(readFileSync(new URL("../../../../../deploy/seccomp/webagent.json", import.meta.url), "utf8"))

const canContain =
  process.getuid?.() === 0 && existsSync("/usr/bin/bwrap") && spawnSync("runc", ["--version"]).status === 0
const skipped = canContain ? "" : " (skipped without root, runc and bubblewrap)"

const temporary = ["nosuid", "nodev", "mode=1777", "size=512m"]

/** Paths that container engines hide, and paths that they make read-only. */
const masks = {
  maskedPaths: ["/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/timer_list"],
  readonlyPaths: ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"]
}

/** How a container is made: with a masked /proc, and without one of the profile's system calls. */
interface Container {
  readonly masked: boolean
  readonly without?: string
}

/** Probes isolation in a container with this machine's files, a read-only root, no capabilities and the profile. */
const probeIn = Effect.fnUntraced(function* ({ masked, without }: Container) {
  const bundle = yield* runtime
  mkdirSync(join(bundle, "rootfs"))
  // unpacks the packaged browser, which the container can't do in its root
  const { executable, source } = yield* Binary.find()
  const program = fileURLToPath(new URL("../support/probe.ts", import.meta.url))
  const syscalls = profile.syscalls
    .map((one) => ({ ...one, names: one.names.filter((name) => name !== without) }))
    .filter(({ names }) => names.length > 0)
  const config = {
    ociVersion: "1.0.2",
    root: { path: "rootfs", readonly: true },
    process: {
      user: { uid: 1000, gid: 1000 },
      cwd: "/tmp",
      noNewPrivileges: true,
      capabilities: {},
      env: [
        ["PATH=/usr/bin:/bin", "TMPDIR=/tmp", "HOME=/tmp"],
        source === "packaged" ? "XDG_CACHE_HOME=/var/cache" : `WEBAGENT_CHROMIUM=${executable}`
      ].flat(),
      args: [
        ["/bin/sh", "-c", 'mkdir -m 711 /tmp/run && exec "$@"', "sh"],
        [process.execPath, "--conditions=@webagent/source", program, "/tmp/run"]
      ].flat()
    },
    mounts: [
      { destination: "/proc", type: "proc", source: "proc" },
      { destination: "/dev", type: "tmpfs", source: "tmpfs", options: ["nosuid", "mode=755"] },
      { destination: "/dev/shm", type: "tmpfs", source: "shm", options: temporary },
      { destination: "/tmp", type: "tmpfs", source: "tmpfs", options: temporary }
    ],
    linux: {
      namespaces: ["pid", "ipc", "uts", "mount", "network"].map((type) => ({ type })),
      seccomp: { ...profile, syscalls },
      ...(masked ? masks : {})
    }
  }
  writeFileSync(join(bundle, "config.json"), JSON.stringify(config))
  // the files of this machine, in a mount namespace that ends with the container
  const run = `mount --rbind / "$1/rootfs" && exec runc --root "$1/state" run --bundle "$1" "webagent-test-$$"`
  const { stdout } = yield* Effect.promise(() =>
    promisify(execFile)("unshare", ["--mount", "sh", "-c", run, "sh", bundle], { timeout: 300_000 })
  )
  return JSON.parse(stdout) as { readonly level: string; readonly message: string | null }
})

it.live.skipIf(!canContain)(`browsers get namespaces in a container with the seccomp profile${skipped}`, () =>
  Effect.gen(function* () {
    assert.deepInclude(yield* probeIn({ masked: false }), { level: "namespaces", message: null })
  }).pipe(Effect.scoped)
)

it.live.skipIf(!canContain)(`Chromium's sandbox works in a container with a masked /proc${skipped}`, () =>
  Effect.gen(function* () {
    const { level, message } = yield* probeIn({ masked: true })
    assert.strictEqual(level, "chromium")
    assert.include(message ?? "", "Let the container mount /proc")
  }).pipe(Effect.scoped)
)

// without clone, no program starts another
const needed = ["unshare", "mount", "umount2", "pivot_root", "sethostname", "chroot"]

for (const without of needed) {
  it.live.skipIf(!canContain)(`browsers get no namespaces without the call ${without}${skipped}`, () =>
    Effect.gen(function* () {
      const { level, message } = yield* probeIn({ masked: false, without })
      assert.notStrictEqual(level, "namespaces")
      assert.include(message ?? "", "No browser starts with the isolation level namespaces")
    }).pipe(Effect.scoped)
  )
}
