import { SessionView } from "@webagent/contract/v2"
import { Session } from "@webagent/contract/v3"
import { Browser, CreatedRun, QueuedMessage, Run, RunStatusView, UpdatedBrowser } from "@webagent/contract/v4"
import * as Schema from "effect/Schema"
import type { Operation } from "./Service.ts"

const problemOf =
  <S extends Schema.Decoder<unknown>>(schema: S) =>
  (body: string): string | undefined => {
    try {
      Schema.decodeUnknownSync(schema)(JSON.parse(body))
      return undefined
    } catch (error) {
      return String(error)
    }
  }

const problems: Readonly<Record<Operation, (body: string) => string | undefined>> = {
  "v2.getSession": problemOf(SessionView),
  "v3.createSession": problemOf(Session),
  "v3.getSession": problemOf(Session),
  "v4.createRun": problemOf(CreatedRun),
  "v4.getRunStatus": problemOf(RunStatusView),
  "v4.getRun": problemOf(Run),
  "v4.queueMessage": problemOf(QueuedMessage),
  "v4.createBrowser": problemOf(Browser),
  "v4.updateBrowser": problemOf(UpdatedBrowser)
}

/** What the contract's schema has against a successful answer; undefined when it is as described. */
export const violation = (operation: Operation, body: string | null): string | undefined =>
  problems[operation](body ?? "")
