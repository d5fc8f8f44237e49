import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { chmodSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { folder, ready, start } from "./program.ts"

const bin = fileURLToPath(new URL("../bin/webagent-server.js", import.meta.url))

it.live("serve runs even if Node's permission model forbids other programs", () =>
  Effect.gen(function* () {
    const options = ["--permission", "--allow-fs-read=*", "--allow-fs-write=*", "--allow-worker"]
    const data = `--data=${yield* folder}/server.db`
    const program = yield* start(
      ["serve", "--port=0", "--api-key=wak_bin", data],
      { NODE_OPTIONS: options.join(" ") },
      bin
    )
    assert.match((yield* ready(program))["v4"] ?? "", /^http/u)
  }).pipe(Effect.scoped)
)

it.live("serve runs even with a newer Node that lacks one of V8's options", () =>
  Effect.gen(function* () {
    const place = yield* folder
    const node = join(place, "node")
    const refusal = `case "$*" in *--heap-growing-percent*) exit 9;; esac`
    writeFileSync(node, `#!/bin/sh\n${refusal}\nexec "${process.execPath}" "$@"\n`)
    chmodSync(node, 0o755)
    const newer = join(place, "newer.cjs")
    writeFileSync(
      newer,
      `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "99.0.0" } })
       process.execPath = ${JSON.stringify(node)}`
    )
    const args = ["serve", "--port=0", "--api-key=wak_bin", `--data=${join(place, "server.db")}`]
    const program = yield* start(args, { NODE_OPTIONS: `--require=${newer}` }, bin)
    assert.match((yield* ready(program))["v4"] ?? "", /^http/u)
  }).pipe(Effect.scoped)
)
