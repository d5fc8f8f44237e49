import { HookFailed, SuiteScope } from "@webagent/scenario"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Breach } from "@webagent/report/Breach"
import { sentence } from "./FailureOf.ts"

interface Open {
  readonly scope: Scope.Closeable
  readonly service: SuiteScope.SuiteScope
}

/** Resources that the scenarios of each suite of a run share until the suite is finished. */
export interface SuiteScopes {
  readonly of: (suite: string) => SuiteScope.SuiteScope
  /** Releases what a suite holds; what is used of it later is acquired anew. */
  readonly close: (suite: string) => Effect.Effect<void>
  /** Releases what all suites hold, and says what could not be released. */
  readonly closeAll: Effect.Effect<ReadonlyArray<Breach>>
}

const open = Effect.gen(function* () {
  const scope = yield* Scope.make()
  return { scope, service: yield* Scope.provide(SuiteScope.make, scope) } satisfies Open
})

/** A scope for each suite; `release` is how long one may take to release what it holds. */
export const make = Effect.fnUntraced(function* (
  suites: Iterable<string>,
  { redact, release }: { readonly redact: (text: string) => string; readonly release: Duration.Duration }
) {
  const scopes = new Map<string, Open>()
  const breaches: Array<Breach> = []
  const failed = (
    suite: string,
    why: { readonly limit_ms: number } | { readonly hook?: string; readonly error: string }
  ) =>
    Effect.sync(
      () =>
        void breaches.push({
          invariant: "suite-not-released",
          resource: null,
          facts: { _tag: "SuiteNotReleased", suite, ...why }
        })
    )
  /** Describes the error of a hook or of a resource. */
  const errorOf = (error: unknown) =>
    error instanceof HookFailed
      ? { hook: error.hook, error: redact(sentence(error.cause)) }
      : { error: redact(sentence(error)) }
  for (const suite of suites) scopes.set(suite, yield* open)
  const close = Effect.fnUntraced(function* (suite: string) {
    const ended = scopes.get(suite)
    if (ended === undefined) return
    scopes.set(suite, yield* open)
    yield* Effect.interruptible(Scope.close(ended.scope, Exit.void)).pipe(
      Effect.timeoutOrElse({
        duration: release,
        orElse: () => failed(suite, { limit_ms: Duration.toMillis(release) })
      }),
      Effect.catchCause((cause) => failed(suite, errorOf(Cause.squash(cause))))
    )
  })
  const of = (suite: string) => {
    const open = scopes.get(suite)
    if (open === undefined) throw new TypeError(`No suite ${suite} is part of this run.`)
    return open.service
  }
  return {
    of,
    close,
    closeAll: Effect.suspend(() => Effect.as(Effect.forEach([...scopes.keys()], close, { discard: true }), breaches))
  } satisfies SuiteScopes
})
