import { requestsTo } from "@webagent/test-fixtures/Requests"
import * as Effect from "effect/Effect"
import { Server } from "../../src/Server.ts"

export type { Answer, Question } from "@webagent/test-fixtures/Requests"

export const { poll, raw, send } = requestsTo(Effect.service(Server))
