import { AgentSteps } from "@webagent/report/Trial"
import type { Picture } from "@webagent/report/Trace"
import * as Base64 from "effect/encoding/Base64"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { Target } from "../targets/Target.ts"
import type { TrialLog } from "../observe/TrialLog.ts"

/** Limits for reading agent steps: runs per trial, steps per run, time for all of it, and pictures and their bytes. */
const most = { runs: 5, steps: 50, time: "2 seconds", pictures: 10, bytes: 512 * 1024 } as const

const { count: _, steps, ...fields } = AgentSteps.fields
const Told = Schema.Struct({
  ...fields,
  // the link expires: what it leads to is kept, and not the link
  steps: Schema.Array(
    Schema.Struct({ ...steps.value.fields, pictureUrl: Schema.optionalKey(Schema.NullOr(Schema.String)) })
  )
})
const decode = Schema.decodeUnknownOption(Told)

type Seen = (typeof Told.Type)["steps"][number] & Pick<AgentSteps, "runId">

type Run = typeof Told.Type

/** The parts of a target that reading its agent's steps needs. */
export type StepsTarget = Pick<Target, "contextOf" | "info" | "redact">

/** Reads the steps of a run with their pictures' addresses; `Option.none` if the service doesn't return them in time. */
export const read = ({ contextOf, redact }: StepsTarget, id: string): Effect.Effect<Option.Option<Run>> =>
  inTime(contextOf(0).request("v4", { method: "GET", path: `/runs/${encodeURIComponent(id)}/steps` })).pipe(
    Effect.map(Option.flatMap(({ body }) => decode(body))),
    Effect.map(
      Option.map((run) => ({
        ...run,
        steps: run.steps.map((step) => ({
          ...step,
          summary: redact(step.summary),
          address: step.address && redact(step.address),
          ...(step.failure === undefined ? {} : { failure: step.failure && redact(step.failure) })
        }))
      }))
    )
  )

const inTime = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<Option.Option<A>> =>
  effect.pipe(
    Effect.timeout(most.time),
    // keep the steps that were read, even if the run is being stopped
    Effect.interruptible,
    Effect.exit,
    Effect.map(Exit.getSuccess)
  )

/** The steps as events and reports store them: an address of a picture expires. */
export const stored = (steps: Run["steps"]): AgentSteps["steps"] =>
  steps.map((step) => Struct.omit(step, ["pictureUrl"]))

/** Reads the picture of a step, if the service itself has it, and in time. */
export const picture = ({ info }: StepsTarget, step: Seen): Effect.Effect<ReadonlyArray<Picture>> =>
  Effect.map(
    inTime(Effect.provide(pictureOf(step, new URL(info.baseUrls.v4).origin), FetchHttpClient.layer)),
    (taken) => Option.toArray(taken).flat()
  )

/** The picture of a step; nothing where it is not to be had from the service itself, in time. */
const pictureOf = Effect.fnUntraced(function* ({ number, pictureUrl, runId, summary }: Seen, origin: string) {
  if (pictureUrl === undefined || pictureUrl === null || URL.parse(pictureUrl)?.origin !== origin) return []
  const client = HttpClient.withScope(yield* HttpClient.HttpClient)
  const { arrayBuffer, headers, status } = yield* client.get(pictureUrl)
  const isPicture = status === 200 && headers["content-type"] === "image/jpeg"
  if (!isPicture || !(Number(headers["content-length"]) <= most.bytes)) return []
  const jpeg = Base64.encode(new Uint8Array(yield* arrayBuffer))
  return [{ runId, number, summary, jpeg } satisfies Picture]
}, Effect.scoped)

/** Steps and pictures of the agent in a trial. */
interface AgentSeen {
  readonly agentSteps: ReadonlyArray<AgentSteps>
  readonly pictures: ReadonlyArray<Picture>
}

/** Of a trial whose agent is not asked for. */
export const nothing: AgentSeen = { agentSteps: [], pictures: [] }

/**
 * Reads the agent's steps in the last runs of a trial, and the pictures of the last steps unless they are left out. If a
 * service doesn't provide them, or not in time, the request isn't repeated.
 */
export const of = Effect.fnUntraced(function* (
  { contextOf, info, redact, simulated }: Pick<Target, "contextOf" | "info" | "redact" | "simulated">,
  { made }: TrialLog,
  { withPictures }: { readonly withPictures: boolean }
): Effect.fn.Return<AgentSeen> {
  // a simulated agent takes no steps
  if (simulated) return nothing
  const target = { contextOf, info, redact }
  const runs = Array.from(made).flatMap(([id, { kind }]) => (kind === "run" ? [id] : []))
  const found = (yield* Effect.forEach(runs.slice(-most.runs), (id) => read(target, id), { concurrency: most.runs }))
    .flatMap(Option.toArray)
    .filter(({ liveUrl, recordingUrl, steps }) => steps.length > 0 || liveUrl !== null || recordingUrl !== null)
    .map((run) => ({ ...run, count: run.steps.length, steps: run.steps.slice(-most.steps) }))
  const last = found.flatMap(({ runId, steps }) => steps.map((step) => ({ ...step, runId })))
  const taken = yield* Effect.forEach(withPictures ? last.slice(-most.pictures) : [], (step) => picture(target, step), {
    concurrency: "unbounded"
  })
  return { agentSteps: found.map((run) => ({ ...run, steps: stored(run.steps) })), pictures: taken.flat() }
})
