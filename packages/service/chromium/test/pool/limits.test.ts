import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { hasMemory, machine as machineOf, most } from "../../src/pool/limits.ts"

const GiB = 1024 ** 3
const machine = { memory_bytes: 24 * GiB, constrained_bytes: Infinity, cores: 2 }

describe("how many browsers run at once", () => {
  it("is 8 per core if there is enough memory", () => {
    assert.deepStrictEqual(most(machine), { count: 16, why: "8 for each of 2 cores" })
    assert.deepStrictEqual(most({ ...machine, cores: 1 }), { count: 8, why: "8 for each of 1 core" })
  })

  it("follows from the memory of a small machine, and is at least 1", () => {
    const small = { ...machine, memory_bytes: 4 * GiB }
    assert.deepStrictEqual(most(small), { count: 6, why: "0.5 GiB each, of the 4 GiB of memory" })
    assert.strictEqual(most({ ...machine, memory_bytes: GiB / 2 }).count, 1)
  })

  it("follows from a container's limit on a large machine", () => {
    const inContainer = { ...machine, constrained_bytes: 2 * GiB }
    assert.deepStrictEqual(most(inContainer), {
      count: 3,
      why: "0.5 GiB each, of the 2 GiB that the container's limit allows"
    })
  })

  // what kernels say where no limit is set
  for (const none of [Infinity, 2 ** 63 - 4096, 2 ** 64]) {
    it(`does not treat ${none} as a limit`, () =>
      assert.strictEqual(most({ ...machine, constrained_bytes: none }).count, 16))
  }
})

/** The root of a system with these files. */
const system = (files: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const root = mkdtempSync(join(tmpdir(), "webagent-test-limits-"))
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, path)), { recursive: true })
        writeFileSync(join(root, path), text)
      }
      return root
    }),
    (root) => Effect.sync(() => rmSync(root, { recursive: true }))
  )

const meminfo = (available_MiB: number) => `MemTotal: 25165824 kB\nMemAvailable:   ${available_MiB * 1024} kB\n`
const bytes = (MiB: number) => `${MiB * 1024 * 1024}\n`

describe("memory for one more browser", () => {
  const v2 = (folder: string, limit: string, used_MiB: number, cache_MiB: number, active_MiB = 0) => ({
    "proc/meminfo": meminfo(20_000),
    "proc/self/cgroup": "0::/own\n",
    [`sys/fs/cgroup/${folder}memory.max`]: limit,
    [`sys/fs/cgroup/${folder}memory.current`]: bytes(used_MiB),
    [`sys/fs/cgroup/${folder}memory.stat`]: `anon 1\nactive_file ${bytes(active_MiB)}inactive_file ${bytes(cache_MiB)}`
  })
  const v1 = (limit_MiB: number, used_MiB: number, cache_MiB: number, active_MiB = 0) => ({
    "proc/meminfo": meminfo(20_000),
    "proc/self/cgroup": "5:cpu,cpuacct:/\n4:memory:/docker/1\n0::/\n",
    "sys/fs/cgroup/memory/memory.limit_in_bytes": bytes(limit_MiB),
    "sys/fs/cgroup/memory/memory.usage_in_bytes": bytes(used_MiB),
    "sys/fs/cgroup/memory/memory.stat": `inactive_file 1\ntotal_active_file ${bytes(active_MiB)}total_inactive_file ${bytes(cache_MiB)}`
  })
  for (const [name, files, is] of [
    ["exists on a machine with enough memory", { "proc/meminfo": meminfo(600) }, true],
    ["is missing on a machine with little memory", { "proc/meminfo": meminfo(400) }, false],
    ["is assumed if nothing is known", {}, true],
    ["is missing in a full container", v2("own/", bytes(2048), 1700, 0), false],
    ["is missing in a full container that sees itself as the root", v2("", bytes(2048), 1700, 0), false],
    ["exists in a container whose file cache the kernel can drop", v2("own/", bytes(2048), 2000, 900), true],
    [
      "exists in a container with an active file cache that can be dropped",
      v2("own/", bytes(2048), 2000, 200, 600),
      true
    ],
    ["is missing in a container that uses most of its file cache", v2("own/", bytes(2048), 2000, 200, 400), false],
    ["exists in a container without a limit", v2("own/", "max\n", 1700, 0), true],
    [
      "is missing in a full container whose limit is that of an outer group",
      {
        ...v2("own/", bytes(2048), 1700, 0),
        ...v2("own/init.scope/", "max\n", 300, 0),
        "proc/self/cgroup": "0::/own/init.scope\n"
      },
      false
    ],
    ["is missing in a full container with cgroup v1", v1(2048, 1700, 0), false],
    ["exists in a cgroup v1 container with file cache to drop", v1(2048, 2000, 900), true],
    ["exists in a cgroup v1 container with an active file cache that can be dropped", v1(2048, 2000, 200, 600), true]
  ] as const) {
    it.effect(name, () => Effect.scoped(Effect.map(system(files), (root) => assert.strictEqual(hasMemory(root), is))))
  }
})

it.effect("limits include those of the groups around this process's own", () =>
  Effect.gen(function* () {
    const limit = "sys/fs/cgroup"
    const root = yield* system({
      "proc/self/cgroup": "0::/pod/own\n",
      [`${limit}/pod/memory.max`]: bytes(2048),
      [`${limit}/pod/own/memory.max`]: bytes(4096)
    })
    assert.strictEqual(machineOf(root).constrained_bytes, 2048 * 1024 * 1024)
    const free = yield* system({ "proc/self/cgroup": "0::/own\n", [`${limit}/own/memory.max`]: "max\n" })
    assert.strictEqual(machineOf(free).constrained_bytes, Infinity)
  }).pipe(Effect.scoped)
)
