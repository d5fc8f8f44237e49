import * as Effect from "effect/Effect"
import { type Answering, Attempt, type AttemptOptions, limitOf } from "./Attempt.ts"
import * as Call from "./Call.ts"
import type { ClientConfig } from "./ClientConfig.ts"
import type { Outgoing } from "./Outgoing.ts"
import * as Settings from "./Settings.ts"
import type { SendWhole } from "./WholeAnswer.ts"

/** Options of an exchange. */
interface ExchangeOptions {
  readonly send: SendWhole
  /** Options for fetch. */
  readonly options: RequestInit
  readonly timeouts: ClientConfig["Service"]["timeouts"]
  /** Adds the headers with the key. */
  readonly keyed: (headers: Outgoing["headers"]) => Outgoing["headers"]
  readonly redact: (text: string) => string
}

/** Adds a span for an attempt. */
const traced = (effect: Answering, { attempt, method, requestId, url }: Outgoing) => {
  const address = new URL(url)
  const annotated = effect.pipe(
    Effect.tap(({ status }) =>
      Effect.annotateCurrentSpan({
        "http.response.status_code": status,
        ...(status >= 400 ? { "error.type": String(status) } : {})
      })
    ),
    Effect.tapError((error) => Effect.annotateCurrentSpan({ "error.type": error.reason._tag }))
  )
  return Effect.withSpan(annotated, method, {
    kind: "client",
    captureStackTrace: false,
    attributes: {
      "http.request.method": method,
      ...Call.serverOf(address),
      "url.full": `${address.origin}${address.pathname}`,
      "webagent.request.id": requestId,
      ...(attempt > 1 ? { "http.request.resend_count": attempt - 1 } : {})
    }
  })
}

/** Sends one attempt and reads its response to the end. */
export const make = ({
  keyed,
  options,
  redact,
  send,
  timeouts
}: ExchangeOptions): ((outgoing: Outgoing, settings: Settings.Settings) => Answering) => {
  const shared: AttemptOptions = {
    send: ({ body, headers, method, url }, settings, listener) =>
      send(
        {
          body,
          headers: keyed(headers),
          method,
          url,
          options: settings.init ? { ...options, ...settings.init, redirect: "manual" } : options
        },
        settings,
        listener
      ),
    redact,
    total: limitOf(timeouts.total),
    headers: timeouts.headers && limitOf(timeouts.headers),
    body: timeouts.body && limitOf(timeouts.body)
  }

  /** One callback for everything: a fiber for the timeout would cost as much as the rest. */
  const exchange = (outgoing: Outgoing, settings: Settings.Settings): Answering =>
    Effect.callback((resume) => {
      const attempt = new Attempt(shared, outgoing, settings, resume)
      return Effect.sync(() => {
        attempt.clear()
        attempt.abort?.()
      })
    })

  return (outgoing, settings) =>
    settings.isTraced
      ? // the HttpClient of an application finds the span of the attempt around it
        traced(
          Effect.withFiber(({ context }) => exchange(outgoing, Settings.of(context))),
          outgoing
        )
      : exchange(outgoing, settings)
}
