import { consoleApiPath } from "@webagent/admin"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Callers } from "../api/Caller.ts"
import * as Admin from "../http/admin/Admin.ts"
import * as LiveEvents from "../http/admin/LiveEvents.ts"
import { mountedAt } from "../http/admin/Operations.ts"
import * as ConsoleAuth from "./ConsoleAuth.ts"
import { ConsoleExtension } from "./Extension.ts"
import * as Sessions from "./Sessions.ts"
import { ConsoleSettings } from "./Settings.ts"
import * as SignIn from "./SignIn.ts"
import * as Socket from "./Socket.ts"

/** The admin API's operations behind the console's session cookie. */
const Operations = mountedAt(consoleApiPath, ConsoleAuth.ConsoleAuth)

/** Everything that the console's pages call. */
export const Served = [SignIn.Served, Operations] as const

/** The console's API, on a server that has a console and knows callers. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const callers = yield* Callers
    const { access } = yield* ConsoleSettings
    const extension = yield* ConsoleExtension
    if (callers === null || access === "off") return Layer.empty
    const signIns = yield* Sessions.make(callers)
    const find = ConsoleAuth.makeFind(access, signIns)
    const feed = yield* LiveEvents.make
    const auth = ConsoleAuth.layer(callers, find)
    return Layer.mergeAll(
      HttpApiBuilder.layer(SignIn.Served).pipe(
        Layer.provide([
          SignIn.layer({ access, callers, find, signIns }),
          Socket.layer({ find, feed, more: extension?.events ?? Stream.empty })
        ])
      ),
      HttpApiBuilder.layer(Operations).pipe(Layer.provide(Admin.handlers(Operations)), Layer.provide(auth)),
      extension === null ? Layer.empty : Layer.provide(extension.routes, auth)
    )
  })
)
