import { ConnectionFailed, Timeout, TransportError, UnexpectedStatus } from "@webagent/core"
import * as Duration from "effect/Duration"

const of = (reason: TransportError["reason"]) =>
  new TransportError({
    method: "GET",
    path: "/api/v4/runs/1",
    origin: "http://nowhere.test",
    attempts: 3,
    requestId: "r-1",
    reason
  })

/** What a client fails with when the service cannot be reached. */
export const refused = of(
  new ConnectionFailed({ code: "ECONNREFUSED", syscall: "connect", cause: new Error("refused") })
)

/** What a client fails with after an answer of a status that is not described. */
export const status = (status: number, retryAfter?: Duration.Input) =>
  of(
    new UnexpectedStatus({
      status,
      body: "",
      ...(retryAfter === undefined ? {} : { retryAfter: Duration.fromInputUnsafe(retryAfter) })
    })
  )

/** What a client fails with when it waited too long for this. */
export const timeout = (phase: "connect" | "headers") => of(new Timeout({ phase, after: Duration.seconds(5) }))
