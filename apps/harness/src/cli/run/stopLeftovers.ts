import { LedgerFile, type OpenItem } from "@webagent/core"
import { ProcessOwner } from "@webagent/core/node"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { join } from "node:path"
import { unreachable, usage } from "@webagent/cli/UserError"
import * as Leftover from "../../leftovers/Leftover.ts"
import * as LeftoverText from "../../leftovers/LeftoverText.ts"
import * as Reaper from "../../leftovers/Reaper.ts"
import type { Target } from "../../targets/Target.ts"
import { terminal } from "@webagent/cli/Terminal"
import type { Resumed } from "../Resumed.ts"

const decodeId = Schema.decodeUnknownOption(Schema.Struct({ id: Schema.String }))

/**
 * Finds out what a create made when its process was killed before the response. A server of ours answers the same key
 * with the same browser; if none was made yet, one is now, and is stopped like the others. What any other service does
 * with a key is unknown, and a run cannot be stopped: nothing is sent for these.
 */
const relearn = Effect.fnUntraced(function* ({ contextOf, info }: Target, { key, kind, origin, path }: OpenItem) {
  const isOurs = info.capabilities.has("assumptions") && `${origin}${path}` === `${info.baseUrls.v4}/browsers`
  if (kind !== "browser" || !isOurs) return undefined
  const request = { method: "POST", path: "/browsers", body: {}, headers: { "idempotency-key": key } } as const
  const answer = yield* Effect.option(contextOf(0).request("v4", request))
  if (Option.isNone(answer) || answer.value.status < 200 || answer.value.status >= 300) return undefined
  return Option.getOrUndefined(decodeId(answer.value.body))?.id
})

/**
 * Stops what the killed process of a run left open at its target, by the run's ledger, and says so. A service inside that
 * process has died with all that it had. What cannot be stopped is said, and does not keep the run from going on.
 */
export const stopLeftovers = Effect.fnUntraced(
  function* (target: Target, { directory }: Resumed) {
    if (target.introspection?.exclusive === true) return
    const file = yield* LedgerFile.make({ directory: join(directory, "ledger"), owner: ProcessOwner.current() })
    const items = yield* file.open
    if (items.length === 0) return
    yield* target.ledger.keepIn(file)
    const now_ms = yield* Clock.currentTimeMillis
    const ledgerItems = yield* Effect.forEach(
      items,
      Effect.fnUntraced(function* (item) {
        const id = item.id ?? (yield* relearn(target, item))
        if (id === undefined || item.id !== undefined) return item
        yield* file.write({ _tag: "opened", at_ms: now_ms, key: item.key, id })
        return { ...item, id }
      }),
      { concurrency: 8 }
    )
    const left = Leftover.ofLedger(ledgerItems, {
      baseUrls: target.info.baseUrls,
      owner: undefined,
      // the process that had this directory is dead: it is ours now
      atWork: () => undefined,
      now_ms,
      youngest_ms: 0
    })
    const leftovers = yield* Reaper.reapAt(target, left, Duration.minutes(1))
    const { style, write } = yield* terminal
    const lines = leftovers.map((leftover) => LeftoverText.line(leftover, now_ms, style))
    yield* write([...lines, `leftovers: ${LeftoverText.summary(leftovers)}`, ""].map((line) => `${line}\n`).join(""))
  },
  Effect.catchTags({
    LedgerError: ({ message }) =>
      Effect.fail(usage(`Cannot read the leftovers in the ledger of the killed run: ${message}`)),
    KeyRefused: () =>
      Effect.fail(unreachable("The service does not take the API key: set it to a key of this service."))
  })
)
