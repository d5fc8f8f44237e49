import {
  Agent,
  type ApiKeys,
  AuditLog,
  Engine,
  LocalWork,
  Recordings,
  TimeOrderedIds,
  Webhooks,
  Workspaces
} from "@webagent/engine"
import {
  ApiKeyAuth,
  ConsoleSettings,
  type Installation,
  LinkOwners,
  LinkTokens,
  Listener,
  Nodes as Neighbours,
  Monitoring,
  RequestValidation,
  SchedulePoll,
  Server,
  WebhookSettings
} from "@webagent/server"
import { SimulatedService } from "@webagent/simulation"
import {
  Database,
  FileHints,
  PostgresHints,
  Retention,
  secret,
  SqlApiKeys,
  SqlConsoleSessions,
  SqlNotes,
  SqlSchedules,
  SqlStore,
  SqlWebhooks
} from "@webagent/sql"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import * as Agents from "./agent.ts"
import * as Browsers from "./browsers.ts"
import type { Data } from "./data.ts"
import { layerDatabase, type SqliteSettings } from "./databaseLayers.ts"
import { type FilesOptions, layerFiles } from "./files.ts"
import { layerInstallation } from "./installation.ts"
import * as Node from "./node.ts"
import { Drain, layerDrain } from "./drain.ts"
import { layerFinishedRuns } from "./finishedRuns.ts"
import { layerMonitoring } from "./monitoring.ts"
import { layerProfiles, type ProfileKeyOptions } from "./profileKeys.ts"
import { layerTracedAgent, layerTracedBrowsers, layerTracedStore } from "./traces.ts"
import { layerObserved, Writes } from "./writes.ts"

/** A server that keeps everything in a database. */
export interface DurableOptions extends Listener.ListenerOptions {
  readonly data: Data
  /** Display name of this node. */
  readonly node: string
  /** Settings of this node as one of several that share the database; without them, no other node uses it. */
  readonly shared?: Omit<Node.SharedOptions, "lost">
  /** Settings of a database file. */
  readonly sqlite: SqliteSettings
  readonly apiKeys: ReadonlyArray<string>
  /** True if the server has a web console. */
  readonly console: boolean
  /** Keys that see the records of every key in the admin API. */
  readonly adminKeys: ReadonlyArray<string>
  /** The settings in force, for the admin API. */
  readonly settings: Installation.InstallationService["settings"]
  /** The command line that started the server, without secrets. */
  readonly command: string
  /** Settings of simulated browsers and their agent. */
  readonly simulated: { readonly seed: number; readonly turnDuration: Duration.Duration | undefined }
  /** True if webhooks may have addresses that aren't public. */
  readonly allowPrivateWebhooks: boolean
  readonly drainWithin: Duration.Duration
  readonly retention: Retention.RetentionPolicy
  readonly files: FilesOptions
  readonly browsers: "auto" | "chromium" | "simulated"
  readonly chromium: Browsers.ChromiumOptions
  readonly limits: Browsers.BrowserLimits
  /** The keys of the profiles of real browsers. */
  readonly profileKeys?: ProfileKeyOptions
  /** The agent of real browsers; without one their runs fail. */
  readonly agent: Agents.AgentOptions | undefined
}

/** For how long a session stays active with nothing to do. */
const idle_ms = 86_400_000

/** For how long the audit log keeps an entry, and how many are deleted each minute. */
const keepAudit_ms = 365 * 86_400_000
const auditBatch = 10_000

/** Number of messages to webhooks that are deleted each minute. */
const webhookBatch = 10_000

/** Number of batches that are deleted each minute. */
const perMinute = 100

/** Every minute: stops sessions that are idle for a day, and forgets what is over for long enough. */
const layerRetention = (policy: Retention.RetentionPolicy, files: Pick<FilesOptions, "keep_ms">) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const recordings = yield* Recordings
      const auditLog = yield* AuditLog
      const workspaces = yield* Workspaces
      const webhooks = yield* Webhooks
      const sweep = Effect.gen(function* () {
        yield* Retention.stopIdle(idle_ms)
        const now_ms = yield* Clock.currentTimeMillis
        const pruned = yield* Retention.prune(policy, perMinute)
        const gone = {
          ...pruned,
          recordings: yield* recordings?.prune(now_ms - policy.keep_ms) ?? Effect.succeed(0),
          files: yield* workspaces?.prune(now_ms - files.keep_ms) ?? Effect.succeed(0),
          webhookMessages: yield* webhooks?.prune(now_ms - policy.keep_ms, webhookBatch) ?? Effect.succeed(0),
          auditEntries: yield* auditLog?.prune(now_ms - keepAudit_ms, auditBatch) ?? Effect.succeed(0)
        }
        if (Object.values(gone).some((count) => count > 0)) {
          yield* Effect.annotateLogs(Effect.logInfo("Deleted old records"), { ...gone })
        }
      })
      yield* sweep.pipe(
        Effect.catchCause((cause) => Effect.logWarning("Cannot delete old records. Trying again.", cause)),
        Effect.repeat(Schedule.spaced("1 minute")),
        Effect.forkScoped
      )
    })
  )

/**
 * The server over its database, with browsers as asked for: real ones are used by a real agent. A start that fails
 * takes nothing from the file: `check` runs and the port is bound before the engine is there.
 */
export const layer = <E>(
  options: DurableOptions,
  check: Effect.Effect<void, E, ApiKeys>,
  lost: Effect.Effect<void>
) => {
  const { adminKeys, apiKeys, data, node, shared, simulated: simulation } = options
  const { seed, turnDuration } = simulation
  const { most } = options.limits
  const simulating = { seed, ...(turnDuration === undefined ? {} : { turnDuration }) }
  const ports =
    most === undefined
      ? SimulatedService.layerPorts(simulating)
      : Layer.unwrap(
          Effect.map(Browsers.placesOf(most, options.limits), (browsers) =>
            SimulatedService.layerPorts({ ...simulating, browsers })
          )
        )
  const pool = Browsers.layer(options.browsers, options.chromium, options.limits, ports)
  const browsers = Layer.merge(pool, Layer.provide(layerTracedBrowsers, pool))
  const simulated = Layer.provide(Layer.effect(Agent, Agent), ports)
  const agent = Layer.provide(layerTracedAgent, Layer.provide(Agents.layer(options.agent, simulated), browsers))
  const served = Layer.unwrap(
    Effect.gen(function* () {
      const bytes = yield* Effect.orDie(secret("links"))
      const { kind } = yield* Browsers.ServedBrowsers
      return Server.layerServed({
        apiKeys,
        linkTokens: LinkTokens.layerFrom(bytes),
        // real browsers are not scripted, also where no model carries out runs
        about: { simulated: kind === "simulated", durable: true },
        around: Monitoring.measured
      })
    })
  )
  const work = shared === undefined ? LocalWork.layerLooking : Node.layerWork(node, { ...shared, lost })
  const others =
    shared === undefined
      ? Layer.empty
      : Layer.unwrap(Effect.map(Effect.orDie(secret("nodes")), (bytes) => Neighbours.layer(bytes)))
  const isOwnFile = shared === undefined && data._tag === "File"
  const hints = data._tag === "Postgres" ? PostgresHints.layer(data.url) : isOwnFile ? FileHints.layer : Layer.empty
  const locked = isOwnFile ? Layer.effectDiscard(Database.locked(data.name)) : Layer.empty
  return Layer.mergeAll(layerDrain(options.drainWithin), layerRetention(options.retention, options.files)).pipe(
    Layer.provideMerge(served),
    Layer.provide([
      ApiKeyAuth.layerManaged(apiKeys, adminKeys),
      LinkOwners.layer,
      RequestValidation.layer,
      layerMonitoring(data),
      layerInstallation(options),
      Layer.succeed(ConsoleSettings, { access: options.console ? "key" : "off" }),
      Layer.effect(
        WebhookSettings,
        Effect.map(WebhookSettings, (settings) => ({
          ...settings,
          // hints tell what another process commits to the file
          poll: isOwnFile ? Duration.infinity : settings.poll,
          get allowPrivate() {
            return options.allowPrivateWebhooks
          }
        }))
      ),
      // no other process changes the file's schedules, but the clock may jump, for example after a suspended machine wakes up
      isOwnFile ? Layer.succeed(SchedulePoll, Duration.seconds(30)) : Layer.empty
    ]),
    Layer.provide(Layer.provide(Engine.layerOf, [agent, TimeOrderedIds.layer, layerFinishedRuns])),
    Layer.provide(others),
    Layer.provide(work),
    Layer.provide(layerFiles(options.files, data._tag === "Postgres")),
    Layer.provideMerge(browsers),
    Layer.provide([Node.layerId(node), hints]),
    // of several nodes, each figure says whose it is
    Layer.provide(shared === undefined ? Layer.empty : Layer.succeed(Metric.CurrentMetricAttributes, { node })),
    Layer.provide([Drain.layer, Listener.layer(options)]),
    Layer.provide(Layer.effectDiscard(check)),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.provide(layerTracedStore, Layer.provide(layerObserved, SqlStore.layer)),
        SqlApiKeys.layer,
        SqlConsoleSessions.layer,
        SqlNotes.layer,
        Layer.provide(Layer.merge(SqlSchedules.layer, SqlWebhooks.layer), TimeOrderedIds.layer),
        Layer.provide(layerProfiles(options.profileKeys, data), TimeOrderedIds.layer)
      )
    ),
    Layer.provide(Writes.layer(data.name)),
    Layer.provide(Layer.provide(layerDatabase(data, options.sqlite), locked))
  )
}
