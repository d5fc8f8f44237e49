import { type ApiVersion, operations } from "@webagent/contract/Wire"
import type { RawRequest } from "@webagent/scenario"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** One described operation, ready to be sent by hand. */
export interface Operation {
  readonly version: ApiVersion
  readonly method: RawRequest["method"]
  /** With the description's parameter names: `/runs/{run_id}`. */
  readonly path: string
  /** `v4 GET /runs/{run_id}`, for the names of scenarios. */
  readonly label: string
  /** A body that the description allows; none for operations without one. */
  readonly body: unknown
}

const bodies: Readonly<Record<string, unknown>> = {
  createSession: { task: "Say hello" },
  createRun: { task: "Say hello" },
  queueMessage: { text: "And now goodbye", interrupt: false },
  createBrowser: {},
  updateBrowser: { action: "stop" }
}

const versions: ReadonlyArray<ApiVersion> = ["v2", "v3", "v4"]

/** The nine described operations. */
export const all: ReadonlyArray<Operation> = versions.flatMap((version) =>
  Object.entries(operations[version]).map(([name, { method, path }]) => ({
    version,
    method,
    path,
    label: `${version} ${method} ${path}`,
    body: bodies[name]
  }))
)

/** Those that name something by its id. */
export const onId: ReadonlyArray<Operation> = all.filter(({ path }) => path.includes("{"))

/** Those that take a body in which something is required. */
export const withRequired: ReadonlyArray<Operation> = all.filter(
  ({ body }) => body !== undefined && Object.keys(body as object).length > 0
)

const hex = (digits: number) =>
  Effect.map(Random.nextIntBetween(0, 16 ** digits - 1), (value) => value.toString(16).padStart(digits, "0"))

/** A uuid that the scenario's seed makes and that no service knows. */
export const unknownId = Effect.map(
  Effect.all([hex(4), hex(4), hex(4), hex(3), hex(3), hex(6), hex(6)]),
  ([a, b, c, d, e, f, g]) => `${a}${b}-${c}-4${d}-8${e}-${f}${g}`
)

/** The operation as a request, its id replaced, with the body that the description allows unless told otherwise. */
export const request = (operation: Operation, id: string, change: Partial<RawRequest> = {}): RawRequest => ({
  method: operation.method,
  path: operation.path.replaceAll(/\{\w+\}/gu, id),
  ...(operation.body === undefined ? {} : { body: operation.body }),
  ...change
})
