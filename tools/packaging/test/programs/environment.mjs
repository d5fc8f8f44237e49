/** Reads the environment, keeps a ledger in files, and sends through undici if that is selected. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Ledger, LedgerFile } from "@webagent/core"
import { ProcessOwner, undici } from "@webagent/core/node"
import { Runs, V4 } from "@webagent/v4"
import { WebAgent } from "@webagent/v4/promise"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const [directory] = process.argv.slice(2)
const owner = ProcessOwner.current()

const program = Effect.gen(function* () {
  const runs = yield* Runs
  const { id } = yield* runs.create({ task: "say hello [simulate output=hello duration=1h]" })
  const open = yield* (yield* Ledger.Current).open
  return open.map((item) => [item.id === id, item.owner === owner])
})

const said = (agent) => agent.runs.get("none").catch(({ detail, message }) => detail ?? message)

const layer = V4.layer().pipe(
  Layer.provideMerge(LedgerFile.layer({ directory, owner })),
  Layer.provide(NodeFileSystem.layer)
)
console.log(
  JSON.stringify({
    open: await Effect.runPromise(Effect.provide(program, layer)),
    atWork: ProcessOwner.atWork(owner) === process.pid,
    absent: await said(new WebAgent()),
    undici: await said(new WebAgent({ httpClient: undici }))
  })
)
