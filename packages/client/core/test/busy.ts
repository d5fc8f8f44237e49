/** A program that opens and closes things in a ledger until it is killed, and prints each entry once it is safe. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import { LedgerFile } from "../src/index.ts"

const [, , directory = "", name = ""] = process.argv

/** Prints a line, and waits until the pipe has taken it: a reader that is busy holds the writer back. */
const print = (line: string) =>
  Effect.callback<void>((resume) => void process.stdout.write(`${line}\n`, () => resume(Effect.void)))

const program = Effect.gen(function* () {
  let ledger = yield* LedgerFile.make({ directory, owner: name })
  for (let index = 0; ; index++) {
    // a start takes over what the other one has left, or is writing
    if (index % 450 === 449) ledger = yield* LedgerFile.make({ directory, owner: name })
    const id = `${name}-${index}`
    const fields = { kind: "browser", method: "POST", path: "/browsers", origin: "https://a.example", requestId: id }
    yield* ledger.write({ _tag: "opening", at_ms: Date.now(), key: id, ...fields })
    yield* ledger.write({ _tag: "opened", at_ms: Date.now(), key: id, id })
    yield* print(`opened ${id}`)
    if (index % 10 === 0) continue
    yield* print(`closing ${id}`)
    yield* ledger.write({ _tag: "closed", at_ms: Date.now(), kind: "browser", id })
    yield* print(`closed ${id}`)
  }
})

void Effect.runPromise(Effect.scoped(Effect.provide(program, NodeFileSystem.layer)))
