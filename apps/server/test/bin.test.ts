import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import { folder, ready, start } from "./program.ts"

const bin = fileURLToPath(new URL("../bin/webagent-server.js", import.meta.url))

it.live("serve also runs where Node's permission model forbids other programs", () =>
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
