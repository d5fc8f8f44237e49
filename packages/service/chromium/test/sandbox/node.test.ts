import { assert, it } from "@effect/vitest"
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { node } from "../../src/sandbox/node.ts"

it("node is copied once, to a folder where only root can run it", () => {
  const folder = mkdtempSync(join(tmpdir(), "webagent-test-node-"))
  try {
    const home = join(folder, "home")
    mkdirSync(home, { mode: 0o700 })
    const own = join(home, "node")
    copyFileSync("/bin/true", own)
    chmodSync(folder, 0o755)
    chmodSync(own, 0o755)
    const found = node(own, [join(folder, "cache")])
    if (process.getuid?.() !== 0) return assert.strictEqual(found, own)
    assert.strictEqual(found, join(folder, "cache", `node-${process.version}`))
    assert.strictEqual(statSync(found).mode & 0o777, 0o755)
    const { ino } = statSync(found)
    assert.strictEqual(statSync(node(own, [join(folder, "cache")])).ino, ino)
    chmodSync(home, 0o711)
    assert.strictEqual(node(own, [join(folder, "cache")]), own)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
