import { AdminKeyAuth, adminPath } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as AdminAuth from "../policy/AdminAuth.ts"
import { Callers } from "../../api/Caller.ts"
import * as AuditHandlers from "./AuditHandlers.ts"
import * as BrowserHandlers from "./BrowserHandlers.ts"
import * as EventHandlers from "./EventHandlers.ts"
import * as FileHandlers from "./FileHandlers.ts"
import * as KeyHandlers from "./KeyHandlers.ts"
import * as MarkHandlers from "./MarkHandlers.ts"
import * as NodeHandlers from "./NodeHandlers.ts"
import { mountedAt, type Operations } from "./Operations.ts"
import * as ProfileHandlers from "./ProfileHandlers.ts"
import * as RecordingHandlers from "./RecordingHandlers.ts"
import * as RunHandlers from "./RunHandlers.ts"
import * as ScheduleHandlers from "./ScheduleHandlers.ts"
import * as ServerHandlers from "./ServerHandlers.ts"
import * as SessionHandlers from "./SessionHandlers.ts"
import * as ShareHandlers from "./ShareHandlers.ts"
import * as SpendHandlers from "./SpendHandlers.ts"
import * as WebhookHandlers from "./WebhookHandlers.ts"

/** The handlers of the operations, wherever they are mounted. They read who asks from `Caller`. */
export const handlers = (api: Operations) =>
  Layer.mergeAll(
    AuditHandlers.layer(api),
    BrowserHandlers.layer(api),
    EventHandlers.layer(api),
    FileHandlers.layer(api),
    KeyHandlers.layer(api),
    MarkHandlers.layer(api),
    NodeHandlers.layer(api),
    ProfileHandlers.layer(api),
    RecordingHandlers.layer(api),
    RunHandlers.layer(api),
    ScheduleHandlers.layer(api),
    ServerHandlers.layer(api),
    SessionHandlers.layer(api),
    ShareHandlers.layer(api),
    SpendHandlers.layer(api),
    WebhookHandlers.layer(api)
  )

/** The admin API with API keys. */
export const Served = mountedAt(adminPath, AdminKeyAuth)

/** The admin API at `/admin/v1`, on a server that knows callers. */
export const layer = Layer.unwrap(
  Effect.map(Callers, (callers) =>
    callers === null
      ? Layer.empty
      : HttpApiBuilder.layer(Served).pipe(Layer.provide(handlers(Served)), Layer.provide(AdminAuth.layer(callers)))
  )
)
