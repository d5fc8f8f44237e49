import type { ScheduleView } from "@webagent/admin"
import { usage } from "@webagent/cli/UserError"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { type Admin, atServer, idOf, notFound, refusals, withAdmin } from "./adminCommand.ts"
import { columns, json, jsonOf, print, shownOf } from "./listing.ts"
import { program } from "./program.ts"

const longest = { name: 40, error: 120 }

const unknown = (server: Admin) => notFound("schedules", server)

const minute = (instant: string) => instant.slice(0, 16).replace("T", " ")

const line = ({ active, cron, id, lastError, lastRunId, name, nextAt, owner, timeZone }: ScheduleView) => [
  id,
  active ? "active" : "paused",
  owner ?? "-",
  `${shownOf(cron, longest.name)} ${shownOf(timeZone, longest.name)}`,
  nextAt === null ? "-" : minute(nextAt),
  lastError === null ? (lastRunId ?? "-") : shownOf(lastError, longest.error),
  shownOf(name, longest.name)
]

const titles = ["ID", "STATE", "KEY", "TIMES", "NEXT (UTC)", "LAST RUN", "NAME"]

const text = (flag: string, description: string) => Flag.String(flag).pipe(Flag.withDescription(description))

const create = Command.make(
  "create",
  {
    ...atServer,
    name: text("name", "Name the schedule"),
    cron: text("cron", "Run at these times: minute, hour, day of month, month and day of week, such as '0 6 * * 1-5'"),
    timeZone: text("time-zone", "Read the times in this time zone, such as Europe/Berlin (default: UTC)").pipe(
      Flag.withDefault("UTC")
    ),
    task: text("task", "Have each run carry out this task"),
    missed: Flag.Literals("missed", ["skip", "once"]).pipe(
      Flag.withDescription("Skip the times that no server was running, or run once for all of them (default: skip)"),
      Flag.withDefault("skip" as const)
    ),
    json
  },
  ({ cron, json, missed, name, task, timeZone, ...at }) =>
    withAdmin(at, (server) =>
      server.ask(server.admin.schedules.create({ payload: { name, cron, timeZone, missed, run: { task } } })).pipe(
        Effect.flatMap((schedule) =>
          json
            ? Console.log(jsonOf(schedule))
            : Console.log(
                `Created the schedule ${schedule.id}. Its first run starts at ${minute(schedule.nextAt ?? "-")} UTC.`
              )
        ),
        Effect.catchTags(refusals(server))
      )
    )
).pipe(Command.withDescription("Create a schedule that starts runs with a task"))

const id = idOf("schedule")

const run = Command.make("run", { id, ...atServer }, ({ id: schedule_id, ...at }) =>
  withAdmin(at, (server) =>
    server.ask(server.admin.schedules.run({ params: { schedule_id } })).pipe(
      Effect.flatMap((started) => Console.log(started.id)),
      Effect.catchTags(refusals(server, "schedules"))
    )
  )
).pipe(Command.withDescription("Start a run of a schedule now, and print its id; the next time doesn't change"))

const setActive = (name: string, active: boolean, description: string) =>
  Command.make(name, { id, ...atServer }, ({ id: schedule_id, ...at }) =>
    withAdmin(at, (server) =>
      server.ask(server.admin.schedules.update({ params: { schedule_id }, payload: { active } })).pipe(
        Effect.flatMap(({ nextAt }) =>
          Console.log(
            nextAt === null
              ? `The schedule ${schedule_id} is paused.`
              : `The next run of the schedule ${schedule_id} starts at ${minute(nextAt)} UTC.`
          )
        ),
        Effect.catchTag("NotFoundError", unknown(server))
      )
    )
  ).pipe(Command.withDescription(description))

const pause = setActive("pause", false, "Pause a schedule; times during the pause don't count as missed")
const resume = setActive("resume", true, "Resume a paused schedule")

const remove = Command.make("delete", { id, ...atServer }, ({ id: schedule_id, ...at }) =>
  withAdmin(at, (server) =>
    server
      .ask(server.admin.schedules.remove({ params: { schedule_id } }))
      .pipe(
        Effect.andThen(Console.log(`Deleted the schedule ${schedule_id}. Its runs stay.`)),
        Effect.catchTag("NotFoundError", unknown(server))
      )
  )
).pipe(Command.withDescription("Delete a schedule, but keep its runs"))

/** `schedules`, and commands to create, run, pause and delete them. */
export const schedules = Command.make("schedules", { ...atServer, json }, ({ json, ...at }) =>
  withAdmin(at, (server) =>
    Effect.gen(function* () {
      const all = yield* server.ask(server.admin.schedules.list())
      if (json) return yield* Console.log(jsonOf(all))
      if (all.length === 0) {
        const hint = `Create one: ${program} schedules create --server ${server.address} --name NAME --cron '0 6 * * *' --task TASK`
        return yield* Console.error(`${server.address} has no schedules for this key. ${hint}`)
      }
      yield* print(columns([titles, ...all.map(line)]))
    }).pipe(Effect.catchTag("NotFoundError", ({ detail }) => Effect.fail(usage(`${server.address}: ${detail}.`))))
  )
).pipe(
  Command.withDescription("List a server's schedules with their next time and last run"),
  Command.withSubcommands([create, run, pause, resume, remove])
)
