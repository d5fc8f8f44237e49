import * as Context from "effect/Context"
import type * as Http from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Predicate from "effect/Predicate"

// effect/http/HttpClient by the keys of what is needed of it: bundlers keep the prototype of its clients wherever
// anything of that module is imported, and with it requests, their parameters and their URLs, 2 kB of every client.
// test/HttpTags.test.ts compares the keys.

/** HttpClient.HttpClient */
export const HttpClient: Context.Service<Http.HttpClient, Http.HttpClient> = /* @__PURE__ */ Context.Service<
  Http.HttpClient,
  Http.HttpClient
>("effect/HttpClient")

/** HttpClient.TracerDisabledWhen */
export const TracerDisabledWhen: typeof Http.TracerDisabledWhen = /* @__PURE__ */ Context.Reference<
  Predicate.Predicate<HttpClientRequest.HttpClientRequest>
>("effect/http/HttpClient/TracerDisabledWhen", { defaultValue: () => () => false })
