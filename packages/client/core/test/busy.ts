/** A program that opens and closes things in a ledger until it is killed, and says each entry that is safe. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import { writeSync } from "node:fs"
import { LedgerFile } from "../src/index.ts"

const [, , directory = "", name = ""] = process.argv

const say = (line: string) => Effect.sync(() => writeSync(1, `${line}\n`))

const program = Effect.gen(function* () {
  let ledger = yield* LedgerFile.make({ directory, owner: name })
  for (let index = 0; ; index++) {
    // a start takes over what the other one has left, or is writing
    if (index % 450 === 449) ledger = yield* LedgerFile.make({ directory, owner: name })
    const id = `${name}-${index}`
    const fields = { kind: "browser", method: "POST", path: "/browsers", origin: "https://a.example", requestId: id }
    yield* ledger.write({ _tag: "opening", at_ms: Date.now(), key: id, ...fields })
    yield* ledger.write({ _tag: "opened", at_ms: Date.now(), key: id, id })
    yield* say(`opened ${id}`)
    if (index % 10 === 0) continue
    yield* say(`closing ${id}`)
    yield* ledger.write({ _tag: "closed", at_ms: Date.now(), kind: "browser", id })
    yield* say(`closed ${id}`)
  }
})

void Effect.runPromise(Effect.scoped(Effect.provide(program, NodeFileSystem.layer)))
