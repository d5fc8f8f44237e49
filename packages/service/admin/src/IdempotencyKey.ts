import { idempotencyKeyHeader } from "@webagent/contract/Wire"
import * as OpenApi from "effect/http-api/OpenApi"

/** Documents that an operation is carried out once per idempotency key. */
export const oncePerKey = OpenApi.annotations({
  transform: (operation) => ({
    ...operation,
    parameters: [
      ...operation["parameters"],
      {
        name: idempotencyKeyHeader,
        in: "header",
        schema: { type: "string", minLength: 1, maxLength: 255 },
        required: false,
        description:
          "Makes the request safe to repeat. Within 24 hours, the same key with the same body returns the record that the first request created, with Idempotency-Replayed: true. Another body is a 422."
      }
    ]
  })
})
