import * as Context from "effect/Context"
import type * as HttpBody from "effect/http/HttpBody"
import type * as Http from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import type * as Predicate from "effect/Predicate"

// effect/http by the keys of what is needed of it: bundlers keep the prototype of HttpClient's clients wherever
// anything of that module is imported, and with it requests, their parameters and their URLs, 2 kB of every client. The
// bodies of HttpBody are 0.3 kB. test/HttpTags.test.ts compares the keys.

/** HttpClient.HttpClient */
export const HttpClient: Context.Service<Http.HttpClient, Http.HttpClient> = /* @__PURE__ */ Context.Service<
  Http.HttpClient,
  Http.HttpClient
>("effect/HttpClient")

/** HttpClient.TracerDisabledWhen */
export const TracerDisabledWhen: typeof Http.TracerDisabledWhen = /* @__PURE__ */ Context.Reference<
  Predicate.Predicate<HttpClientRequest.HttpClientRequest>
>("effect/http/HttpClient/TracerDisabledWhen", { defaultValue: () => () => false })

/** HttpBody.uint8Array, which shows nothing: a request that is logged asks it. */
export const bytes = (body: Uint8Array, contentType = "application/octet-stream"): HttpBody.Uint8Array =>
  ({
    "~effect/http/HttpBody": "~effect/http/HttpBody",
    _tag: "Uint8Array",
    body,
    contentType,
    contentLength: body.length,
    toJSON: String
  }) as object as HttpBody.Uint8Array
