import { controlKeyHeader, ControlKeyAuth, ControlUnauthorizedError } from "@webagent/control"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { hash, timingSafeEqual } from "node:crypto"

// equal lengths, so that the comparison tells nothing about the key, not even its length
const digest = (key: string) => hash("sha256", key, "buffer")

/** Lets requests through that carry this key in `X-Control-Key`; every other is a 401, whatever else is wrong with it. */
export const layer = (key: string): Layer.Layer<ControlKeyAuth> => {
  const keyDigest = digest(key)
  return Layer.succeed(ControlKeyAuth, {
    controlKey: (httpEffect, { credential }) =>
      timingSafeEqual(keyDigest, digest(Redacted.value(credential)))
        ? httpEffect
        : Effect.fail(
            new ControlUnauthorizedError({
              detail:
                Redacted.value(credential) === ""
                  ? `Send the control key in the header ${controlKeyHeader}.`
                  : `The value of ${controlKeyHeader} is not the control key of this server.`
            })
          )
  })
}
