import { spawnSync } from "node:child_process"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const home = fileURLToPath(new URL("../", import.meta.url))

const python = (...args: ReadonlyArray<string>) =>
  spawnSync("python3", args, {
    cwd: home,
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`,
      PYTHONDONTWRITEBYTECODE: "1"
    }
  })

const hasPython = python("-c", "import sys; sys.exit(sys.version_info < (3, 9))").status === 0

describe.skipIf(!hasPython)(`the example in Python${hasPython ? "" : " (needs python3, 3.9 or newer)"}`, () => {
  it("tests an app against the simulated service", () => {
    const { status, stderr } = python("-m", "unittest", "discover", "testing/python")
    assert.strictEqual(status, 0, stderr)
    assert.include(stderr, "Ran 3 tests")
  })
})
