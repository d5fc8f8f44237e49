import {
  type AuditLogService,
  MemoryNotes,
  MemoryProfiles,
  MemorySchedules,
  MemoryWebhooks,
  MemoryWorkspaces,
  Profile,
  type ProfilesService,
  type RunNotesService,
  type SchedulesService,
  type WebhooksService,
  Workspace,
  WorkspaceFile,
  type WorkspacesService
} from "@webagent/engine"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Behavior } from "../behavior/Behavior.ts"
import { type IdCounts, SeededIds } from "../behavior/SeededIds.ts"

/** A workspace of a snapshot. The bytes of its files are Base64. */
const StoredWorkspace = Schema.Struct({
  workspace: Workspace,
  files: Schema.Array(
    Schema.Struct({
      ...WorkspaceFile.fields,
      id: Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed(""))),
      content: Schema.String
    })
  )
})

/** The profiles and workspaces of a snapshot; those of older versions have none. */
export const fields = {
  profiles: Schema.Array(Profile).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  workspaces: Schema.Array(StoredWorkspace).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
}

/** The profiles and workspaces of a snapshot. */
export interface FileRecords {
  readonly profiles: ReadonlyArray<Profile>
  readonly workspaces: ReadonlyArray<typeof StoredWorkspace.Type>
}

const toRecord = ({ files, workspace }: typeof StoredWorkspace.Type): MemoryWorkspaces.WorkspaceRecord => ({
  workspace,
  files: files.map(({ content, ...file }) => ({ ...file, bytes: Buffer.from(content, "base64") }))
})

const fromRecord = ({ files, workspace }: MemoryWorkspaces.WorkspaceRecord): typeof StoredWorkspace.Type => ({
  workspace,
  files: files.map(({ bytes, ...file }) => ({ ...file, content: Buffer.from(bytes).toString("base64") }))
})

/**
 * The profiles, workspaces, webhooks, schedules and notes of a simulated service, in memory. No browser state is saved:
 * profiles are names. Webhooks, schedules and notes aren't part of a snapshot, and a restore or reset forgets them.
 */
export const make = Effect.gen(function* () {
  const { seed } = yield* Behavior

  const start = Effect.fnUntraced(function* ({ profiles, workspaces }: FileRecords, counts: IdCounts) {
    const ids = yield* Effect.scoped(Layer.build(SeededIds.layer(seed, counts)))
    return yield* Effect.all({
      profiles: MemoryProfiles.make(profiles),
      workspaces: MemoryWorkspaces.make({}, workspaces.map(toRecord)),
      schedules: MemorySchedules.make,
      webhooks: MemoryWebhooks.make,
      notes: MemoryNotes.make,
      ids: Effect.succeed(Context.get(ids, SeededIds))
    }).pipe(Effect.provideContext(ids))
  })

  let current = yield* start({ profiles: [], workspaces: [] }, {})

  /** Passes each call to the storage of that moment: a restore replaces it. */
  const latest = <Service extends object>(read: () => Service): Service =>
    new Proxy(read(), { get: (_, name) => Reflect.get(read(), name) as unknown })

  return {
    profiles: latest((): ProfilesService => current.profiles.profiles),
    workspaces: latest((): WorkspacesService => current.workspaces.workspaces),
    schedules: latest((): SchedulesService => current.schedules),
    webhooks: latest((): WebhooksService => current.webhooks),
    auditLog: latest((): AuditLogService => current.notes.auditLog),
    runNotes: latest((): RunNotesService => current.notes.runNotes),
    records: Effect.gen(function* () {
      return {
        profiles: yield* current.profiles.records,
        workspaces: (yield* current.workspaces.records).map(fromRecord)
      }
    }),
    counts: Effect.suspend(() => current.ids.counts),
    replace: (records: FileRecords, counts: IdCounts) =>
      Effect.map(start(records, counts), (next) => {
        current = next
      })
  }
})
