import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Errors from "../src/Errors.ts"

describe("Errors", () => {
  const withDetail = [
    [Errors.SessionNotFoundError, "Session not found"],
    [Errors.RunNotFoundError, "Run not found"],
    [Errors.BrowserNotFoundError, "Browser not found"],
    [Errors.UnauthorizedError, "Invalid API key"],
    [Errors.ConflictError, "Conflict"],
    [Errors.ContentTooLargeError, "Content too large"],
    [Errors.TooManyRequestsError, "Too many requests"]
  ] as const

  for (const [error, fallback] of withDetail) {
    it.effect(`${error.identifier} has the default detail "${fallback}", and sends no tag`, () =>
      Effect.gen(function* () {
        const decoded = yield* Schema.decodeUnknownEffect(error)({})
        assert.strictEqual(decoded.detail, fallback)
        assert.strictEqual(decoded.message, fallback)
        assert.strictEqual(decoded._tag, error.identifier)
        assert.deepStrictEqual(yield* Schema.encodeEffect(error)(decoded), { detail: fallback })
      })
    )
  }

  it.effect("HTTPValidationError may lack a detail, and its message has the place and the reason", () =>
    Effect.gen(function* () {
      const decode = Schema.decodeUnknownEffect(Errors.HTTPValidationError)
      assert.strictEqual((yield* decode({})).message, "The request is not valid")
      const error = yield* decode({
        detail: [
          { loc: ["body", "items", 0], msg: "Field required", type: "missing", input: {} },
          { loc: ["body", "task"], msg: "Expected string", type: "string_type" }
        ]
      })
      assert.strictEqual(error.message, "body.items.0: Field required; body.task: Expected string")
      assert.deepInclude<object>(error.detail?.[0] ?? {}, { input: {} })
      assert.isTrue((yield* Effect.exit(decode({ detail: "text" })))._tag === "Failure")
    })
  )

  it.effect("is caught by tag", () =>
    Effect.gen(function* () {
      const caught = yield* new Errors.SessionNotFoundError({ detail: "Session not found" }).pipe(
        Effect.catchTag("SessionNotFoundError", (error) => Effect.succeed(error.detail))
      )
      assert.strictEqual(caught, "Session not found")
    })
  )
})
