import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { needSpace } from "../src/BaseImages.ts"
import type { Engine } from "../src/Engine.ts"
import { Lacking } from "../src/Report.ts"

const engine: Engine = { name: "podman", version: "5.0", compose: null }

describe("needSpace", () => {
  const path = process.env["PATH"]
  let folder = ""

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "webagent-space-"))
    process.env["PATH"] = `${folder}:${path}`
  })
  afterEach(() => {
    process.env["PATH"] = path
    rmSync(folder, { recursive: true })
  })

  /** Checks the space of an engine whose images are in a folder. */
  const check = (images: string, least_GB: number) => {
    const isAsked = `[ "$*" = "info --format {{.Store.GraphRoot}}" ]`
    writeFileSync(join(folder, "podman"), `#!/bin/sh\n${isAsked} && echo ${images}\n`)
    chmodSync(join(folder, "podman"), 0o755)
    return needSpace(engine, least_GB)
  }

  it("refuses a disk that is too full, with its free space", async () => {
    const error: unknown = await check(folder, 9_000_000).catch((reason: unknown) => reason)
    assert.instanceOf(error, Lacking)
    assert.match(String(error), /^Error: podman has \d+\.\d GB of disk space left, and the images take 9000000 GB\.$/u)
  })

  it("accepts a disk with enough space, and one that is not on this machine", async () => {
    assert.isUndefined(await check(folder, 0))
    assert.isUndefined(await check("/no/such/folder", 9_000_000))
  })
})
