import { Listener, NodeListener } from "@webagent/server"
import { tokenParameter, uiPath } from "@webagent/harness-api"
import { servesUntilStopped } from "@webagent/cli/ExitCode"
import { portInUse, usage } from "@webagent/cli/UserError"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { resolve } from "node:path"
import { costUnknownOf, type RunReport } from "@webagent/report/RunReport"
import { Project } from "../../config/Project.ts"
import * as Guard from "../../ui/Guard.ts"
import * as Model from "../../ui/Model.ts"
import * as OwnRuns from "../../ui/OwnRuns.ts"
import * as Screens from "../../page/Screens.ts"
import * as Server from "../../ui/Server.ts"
import type { RunOptions } from "../RunFlags.ts"

const host = "127.0.0.1"

/** The first port to try if none is named, and the number of ports to try. */
const ports = { first: 4500, tries: 20 } as const

const bind = (port: number) => Layer.build(Listener.layer({ host, port }))

/** Listens on the first free port. */
const bindFree = (port: number, tries: number): ReturnType<typeof bind> =>
  bind(port).pipe(
    Effect.catchTag("PortInUseError", (error) => (tries > 1 ? bindFree(port + 1, tries - 1) : Effect.fail(error)))
  )

/** Listens on a port that was named, which is never another one, or on the first free port. */
const listen = (port: number | undefined) =>
  (port === undefined ? bindFree(ports.first, ports.tries) : bind(port)).pipe(
    Effect.catchTags({
      PortInUseError: () =>
        Effect.fail(
          port === undefined
            ? usage(
                `Ports ${ports.first} to ${ports.first + ports.tries - 1} are in use. Choose another with --port, or 0 for any free port.`
              )
            : portInUse(port)
        ),
      ListenError: (error) => Effect.fail(usage(`${error.message}.`))
    })
  )

/** The most that a run may have cost: its limit if the service reported no cost of something. Simulated runs are free. */
const mostCostOf = ({ cost_usd, header: { limits, target }, results }: RunReport): string | undefined => {
  if (target.simulated) return undefined
  const isUnknown = results.some((result) => costUnknownOf(result).length > 0)
  return isUnknown ? (limits.cost_usd ?? cost_usd) : cost_usd
}

/** Serves the screens until Ctrl-C, which stops a run and waits for its report. */
export const serveUi = (options: RunOptions, port: number | undefined) =>
  Effect.gen(function* () {
    if (options.allowPaid && options.maxCost === undefined) {
      return yield* usage(
        "--allow-paid lets a page spend money. Add --max-cost USD, the most that all its runs may cost."
      )
    }
    const { config } = yield* Project
    const context = yield* listen(port)
    yield* Screens.build
    const { address } = yield* Effect.provideContext(HttpServer.HttpServer, context)
    const origin = HttpServer.formatAddress(address)
    const guard = Guard.make(Number(new URL(origin).port))
    const { targets = {} } = config
    const targetOf = (name: string): Partial<RunOptions> | undefined => {
      if (name === "simulated" || name === options.target) return { target: name }
      const named = Object.hasOwn(targets, name) ? targets[name] : undefined
      if (named === undefined) return undefined
      const { apiKeyEnv, apiKeyHeader, control, url, v2SessionId } = named
      return {
        target: url,
        ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
        ...(apiKeyHeader === undefined ? {} : { apiKeyHeader }),
        ...(control === undefined ? {} : { control }),
        ...(v2SessionId === undefined ? {} : { v2SessionId })
      }
    }
    let isOurs = (_run: string) => false
    const can = { run: true, change: true, pay: options.allowPaid }
    const model = yield* Model.make({ options, can, isOurs: (run) => isOurs(run), exportedAt: null })
    const costOf = (run: string) =>
      Effect.map(
        Effect.orElseSucceed(model.reports.report(run), () => null),
        (report) => (report === null ? undefined : mostCostOf(report))
      )
    const own = yield* OwnRuns.make({ options, targetOf, costOf })
    isOurs = own.isOurs
    const app = yield* Server.make({ model, own }).pipe(
      Effect.provideService(Guard.Guard, guard),
      Effect.provideContext(context)
    )
    yield* Effect.provideContext(HttpServer.serveEffect(app), context)
    const { sockets } = yield* Effect.provideContext(NodeListener, context)
    // the server would wait for the WebSockets of open pages
    yield* Effect.addFinalizer(() => Effect.sync(() => sockets.forEach((socket) => socket.destroy())))
    // a year of nights takes seconds to read the first time
    yield* Effect.forkScoped(Effect.ignore(model.index))
    yield* Console.log(`ui       ${origin}${uiPath}/#${tokenParameter}=${guard.token}`)
    yield* Console.log(`writes   ${resolve(".webagent")}   (reports and history; Ctrl-C stops a run and ends this)`)
    servesUntilStopped.now = true
    return yield* Effect.never
  }).pipe(Effect.scoped)
