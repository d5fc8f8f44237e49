import { assert, it } from "@effect/vitest"
import { KeyTaken, mostWorkspaces, Owner, Store, TimeOrderedIds, Workspaces } from "@webagent/engine"
import { creation } from "@webagent/store-contract/Creation"
import { limits, workspaceContract } from "@webagent/store-contract/Workspaces"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeEach } from "vitest"
import { FileBytes, FileFolder, type Reader, SqlStore, SqlWorkspaces } from "../src/index.ts"

/** What the workspaces of each database have to do. */
export const workspacesOver = <E>(name: string, database: Layer.Layer<SqlClient.SqlClient | Reader, E>) => {
  let folder = ""
  const folders: Array<string> = []
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "webagent-files-"))
    folders.push(folder)
  })
  afterAll(() => folders.forEach((each) => rmSync(each, { recursive: true })))

  const bytes = Layer.unwrap(Effect.sync(() => FileFolder.layer(folder)))
  const workspaces = Layer.provide(SqlWorkspaces.layer({ file: 100, ...limits }), [bytes, TimeOrderedIds.layer])
  const fresh = Layer.fresh(Layer.provideMerge(workspaces, database))
  const countFiles = Effect.sync(
    () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
  )
  workspaceContract(`SqlWorkspaces over ${name}`, Layer.provide(workspaces, database), countFiles)

  it.live(`SqlWorkspaces over ${name} enforce the limits of an owner's API key and of the server`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workspaces = (yield* Workspaces) ?? assert.fail("no workspaces")
      const limited = (fileMegabytes: number) =>
        sql`INSERT INTO api_keys ${sql.insert({
          name: "ann",
          hash: Buffer.from(String(fileMegabytes)),
          prefix: "wak_",
          scopes: "[]",
          limits: JSON.stringify({ fileMegabytes }),
          created_at_ms: 0
        })}`
      const announce = (size: number) =>
        Effect.gen(function* () {
          const { id } = yield* workspaces.create("w")
          return yield* workspaces.upload(id, [{ path: "a", contentType: "text/plain", size }], true)
        }).pipe(
          Effect.provideService(Owner, "ann"),
          Effect.match({ onFailure: (error) => error._tag, onSuccess: () => "expected" })
        )
      // of an earlier key with the name
      yield* limited(0)
      yield* sql`UPDATE api_keys SET revoked_at_ms = 1`
      yield* limited(30 / 2 ** 20)
      const sizes = [31, 20, 11, 10, 1]
      assert.deepStrictEqual(yield* Effect.forEach(sizes, announce), [
        "NoRoom",
        "expected",
        "NoRoom",
        "expected",
        "NoRoom"
      ])
      yield* sql`UPDATE api_keys SET limits = ${JSON.stringify({ fileMegabytes: 5 })}`
      assert.deepStrictEqual(yield* Effect.forEach([100, 70], announce), ["expected", "NoRoom"])
    }).pipe(Effect.provide(fresh, { local: true }))
  )

  it.effect(`SqlWorkspaces over ${name} keep files for the days of the owner's key, or of the server`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workspaces = (yield* Workspaces) ?? assert.fail("no workspaces")
      const addKey = (owner: string, fileDays: number | undefined, revoked_at_ms: number | null = null) =>
        sql`INSERT INTO api_keys ${sql.insert({
          name: owner,
          hash: Buffer.from(`${owner}${fileDays}`),
          prefix: "wak_",
          scopes: "[]",
          limits: JSON.stringify({ fileDays }),
          created_at_ms: 0,
          revoked_at_ms
        })}`
      const setDays = (owner: string, fileDays: number | null) =>
        sql`UPDATE api_keys SET limits = ${JSON.stringify({ fileDays })} WHERE name = ${owner}`
      const put = (owner: string) =>
        Effect.gen(function* () {
          const ids = yield* Effect.all([workspaces.create("kept"), workspaces.create("archived")])
          for (const { id } of ids) {
            const [upload] = yield* workspaces.upload(id, [{ path: "a", contentType: "text/plain", size: 1 }], true)
            yield* workspaces.write(upload?.id ?? "", Stream.make(new Uint8Array(1)), 1)
          }
          yield* workspaces.archive(ids[1].id)
        }).pipe(Effect.provideService(Owner, owner))
      const prune = Effect.flatMap(Clock.currentTimeMillis, (now_ms) => workspaces.prune(now_ms - 30 * 86_400_000))
      /** The owners whose files are there, each with the number of its files and of its archived workspaces. */
      const left = Effect.gen(function* () {
        yield* prune
        const rows = yield* sql<{ readonly owner: string; readonly files: number; readonly archived: number }>`
          SELECT owner, sum(files) AS files, sum(archived) AS archived FROM workspaces GROUP BY owner ORDER BY owner`
        const stored = rows.filter(({ files }) => Number(files) > 0)
        assert.strictEqual(yield* countFiles, stored.length * 2)
        assert.isTrue(rows.every(({ archived, files }) => Number(archived) === Number(files) / 2))
        return stored.map(({ owner }) => owner)
      })
      yield* addKey("short", 1)
      yield* addKey("long", 60)
      yield* addKey("revoked", 1, 0)
      // a key that was replaced by one without a limit
      yield* addKey("server", 1, 0)
      yield* addKey("server", undefined)
      const owners = ["long", "none", "revoked", "server", "short"]
      yield* Effect.forEach(owners, put)
      yield* TestClock.adjust("23 hours")
      assert.deepStrictEqual(yield* left, owners)
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* left, ["long", "none", "server"])
      yield* put("short")
      yield* setDays("short", 3)
      yield* TestClock.adjust("2 days")
      assert.deepStrictEqual(yield* left, ["long", "none", "server", "short"])
      yield* TestClock.adjust("27 days")
      assert.deepStrictEqual(yield* left, ["long"])
      yield* setDays("long", null)
      assert.deepStrictEqual(yield* left, [])
    }).pipe(Effect.provide(fresh, { local: true }))
  )

  it.live(`SqlWorkspaces over ${name} delete the bytes of a file at one node`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const began = yield* Latch.make()
      const open = yield* Latch.make()
      const removed: Array<string> = []
      const nodeWith = (before: Effect.Effect<unknown>) =>
        Effect.map(
          Effect.provide(
            Workspaces,
            SqlWorkspaces.layer().pipe(
              Layer.provide([
                Layer.succeed(FileBytes, {
                  write: () => Effect.succeed(0),
                  read: () => Stream.empty,
                  remove: (id) =>
                    Effect.andThen(
                      before,
                      Effect.sync(() => void removed.push(id))
                    )
                }),
                TimeOrderedIds.layer
              ])
            ),
            { local: true }
          ),
          (workspaces) => workspaces ?? assert.fail("no workspaces")
        )
      const slow = yield* nodeWith(Effect.andThen(began.open, open.await))
      const fast = yield* nodeWith(Effect.void)
      yield* sql`INSERT INTO file_garbage VALUES ('a', 0), ('b', 0)`
      const pruning = yield* Effect.forkChild(slow.prune(0))
      yield* began.await
      yield* sql`INSERT INTO file_garbage VALUES ('c', 0)`
      yield* fast.prune(0)
      assert.deepStrictEqual(removed, ["c"])
      yield* open.open
      yield* Fiber.join(pruning)
      assert.deepStrictEqual(removed.toSorted(), ["a", "b", "c"])
      // a server that was killed meanwhile, long ago
      yield* sql`INSERT INTO file_garbage VALUES ('lost', ${600_001 - Date.now()})`
      yield* fast.prune(0)
      assert.strictEqual(removed.at(-1), "lost")
    }).pipe(Effect.provide(Layer.fresh(database), { local: true }))
  )

  it.live(`SqlWorkspaces over ${name} recognizes a repeated create at the limit`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workspaces = (yield* Workspaces) ?? assert.fail("no workspaces")
      const workspace = yield* workspaces.create("last")
      const others = Arr.makeBy(mostWorkspaces - 1, (index) => ({
        id: `w${index}`,
        owner: "ann",
        name: "null",
        created_at_ms: 0,
        updated_at_ms: 0
      }))
      yield* sql`INSERT INTO workspaces ${sql.insert(others)}`
      const made = { _tag: "Workspace", workspace } as const
      const taken = new KeyTaken({ record: { key: "k", body: "b", createdAt_ms: 0, made } })
      const errors = [
        yield* Effect.flip(workspaces.create("last", () => taken)),
        yield* Effect.flip(workspaces.create("one too many", () => Effect.void))
      ]
      assert.deepStrictEqual(
        errors.map(({ _tag }) => _tag),
        ["KeyTaken", "NoRoom"]
      )
      assert.strictEqual((yield* workspaces.list(0, 1)).total, mostWorkspaces)
    }).pipe(Effect.provideService(Owner, "ann"), Effect.provide(fresh, { local: true }))
  )

  it.live(`SqlWorkspaces over ${name} limits the number of files, including expected ones`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workspaces = (yield* Workspaces) ?? assert.fail("no workspaces")
      const { id } = yield* workspaces.create("full")
      const upload = (...paths: ReadonlyArray<string>) =>
        workspaces.upload(
          id,
          paths.map((path) => ({ path, contentType: "text/plain", size: 1 })),
          true
        )
      const isFull = Effect.fnUntraced(function* (...paths: ReadonlyArray<string>) {
        const { message } = yield* Effect.flip(upload(...paths))
        assert.strictEqual(message, "A workspace has at most 10000 files: delete files first")
      })
      yield* sql`UPDATE workspaces SET files = 9998 WHERE id = ${id}`
      yield* isFull("a", "b", "c")
      const [first] = yield* upload("a", "b")
      yield* isFull("c")
      yield* workspaces.write(first?.id ?? "", Stream.make(new Uint8Array(1)), 1)
      yield* isFull("c")
      // a file that is replaced counts once
      yield* upload("a")
    }).pipe(Effect.provideService(Owner, "ann"), Effect.provide(fresh, { local: true }))
  )

  it.live(`SqlWorkspaces over ${name} never delete the bytes of an upload that is sent again`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const folderBytes = yield* FileBytes
      const reached = [Latch.makeUnsafe(), Latch.makeUnsafe()]
      const opened = [Latch.makeUnsafe(), Latch.makeUnsafe()]
      let removals = 0
      const slow = {
        ...folderBytes,
        remove: (id: string) =>
          Effect.suspend(() => {
            const at = removals++
            return Effect.andThen(reached[at]?.open ?? Effect.void, opened[at]?.await ?? Effect.void)
          }).pipe(Effect.andThen(folderBytes.remove(id)))
      }
      const layer = SqlWorkspaces.layer({ file: 100, ...limits }).pipe(
        Layer.provide([Layer.succeed(FileBytes, slow), TimeOrderedIds.layer])
      )
      const workspaces = (yield* Effect.provide(Workspaces, layer, { local: true })) ?? assert.fail("no workspaces")
      const { id } = yield* workspaces.create("w")
      const [upload] = yield* workspaces.upload(id, [{ path: "a", contentType: "text/plain", size: 1 }], true)
      const send = (...bytes: ReadonlyArray<number>) =>
        workspaces.write(upload?.id ?? "", Stream.make(Uint8Array.from(bytes)), null)
      // the wrong size, whose bytes are deleted slowly, until another node deletes them as well
      const failed = yield* Effect.forkChild(Effect.exit(send(1, 2)))
      yield* reached[0]?.await ?? Effect.void
      yield* sql`UPDATE file_garbage SET due_ms = 0`
      const pruned = yield* Effect.forkChild(workspaces.prune(0))
      yield* reached[1]?.await ?? Effect.void
      yield* opened[0]?.open ?? Effect.void
      yield* Fiber.join(failed)
      const again = yield* Effect.exit(send(1))
      yield* opened[1]?.open ?? Effect.void
      yield* Fiber.join(pruned)
      const { length } = (yield* workspaces.files(id, "", "", 10)).files
      assert.strictEqual(yield* countFiles, length)
      assert.isTrue(Exit.isFailure(again))
    }).pipe(
      Effect.provideService(Owner, "ann"),
      Effect.provide(Layer.fresh(Layer.provideMerge(bytes, database)), { local: true })
    )
  )

  it.live(`SqlWorkspaces over ${name} refuse an upload whose bytes another node has deleted`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workspaces = (yield* Workspaces) ?? assert.fail("no workspaces")
      const { id } = yield* workspaces.create("w")
      const [upload] = yield* workspaces.upload(id, [{ path: "a", contentType: "text/plain", size: 1 }], true)
      const late = Stream.fromEffect(Effect.as(sql`DELETE FROM file_garbage`, new Uint8Array(1)))
      const error = yield* Effect.flip(workspaces.write(upload?.id ?? "", late, 1))
      assert.strictEqual(error._tag, "UploadNotFound")
      assert.lengthOf((yield* workspaces.files(id, "", "", 10)).files, 0)
    }).pipe(Effect.provideService(Owner, "ann"), Effect.provide(fresh, { local: true }))
  )

  it.live(`SqlWorkspaces over ${name} deletes the files of a run with the run`, () =>
    Effect.gen(function* () {
      const store = yield* Store
      const workspaces = (yield* Workspaces) ?? assert.fail("no workspaces")
      const run = { id: "t1", owner: "ann" }
      const file = { path: "a.csv", contentType: "text/csv" }
      const attach = (size: number) => workspaces.attach(run, file, Stream.make(new Uint8Array(size)), size)
      // the run isn't there
      assert.strictEqual((yield* Effect.flip(attach(1)))._tag, "UploadNotFound")
      const { events, session, turns } = creation("1")
      yield* store.commit({ session, turns, events })
      yield* attach(60)
      // the retention of a run's files begins with the newest one
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE workspaces SET updated_at_ms = 0`
      yield* attach(40)
      yield* workspaces.prune(1000)
      // its files count toward the limits of its owner
      assert.strictEqual((yield* Effect.flip(attach(1)))._tag, "NoRoom")
      const names = Effect.map(workspaces.attachments("t1"), (files) => files.map(({ path, size }) => [path, size]))
      assert.deepStrictEqual(yield* names, [
        ["a (1).csv", 40],
        ["a.csv", 60]
      ])
      assert.strictEqual((yield* workspaces.read("t1", "a.csv")).size, 60)
      assert.strictEqual(yield* workspaces.ownerOf("t1"), "ann")
      // a run is no workspace
      assert.strictEqual((yield* Effect.flip(workspaces.find("t1")))._tag, "WorkspaceNotFound")
      assert.strictEqual((yield* Effect.provideService(workspaces.list(0, 10), Owner, "ann")).total, 0)
      assert.strictEqual(yield* countFiles, 2)
      const stopped = { ...session, status: "stopped" as const, revision: 2, finishedAt_ms: 1 }
      const over = turns.map((turn) => ({ ...turn, status: "cancelled" as const, finishedAt_ms: 1 }))
      yield* store.commit({ session: stopped, turns: over, events: [] })
      assert.isTrue(yield* store.purge("s1"))
      assert.deepStrictEqual(yield* names, [])
      yield* workspaces.prune(0)
      assert.strictEqual(yield* countFiles, 0)
    }).pipe(
      Effect.provide(
        Layer.fresh(
          Layer.provideMerge(
            Layer.merge(
              SqlStore.layer,
              Layer.provide(SqlWorkspaces.layer({ file: 100, ...limits }), [bytes, TimeOrderedIds.layer])
            ),
            database
          )
        ),
        { local: true }
      )
    )
  )
}
