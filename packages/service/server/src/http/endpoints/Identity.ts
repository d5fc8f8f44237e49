import { type ApiVersion, basePath } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { originOf } from "../../api/Origin.ts"
import { version as serverVersion } from "./Version.ts"
import { docsPath, openApiPath } from "./ServerApi.ts"

/** Additional fields of `/`, beyond name, version and addresses. */
export type About = Readonly<Record<string, unknown>>

const links = (version: ApiVersion, start: string) => ({
  baseUrl: `${start}${basePath[version]}`,
  openapi: `${start}${openApiPath(version)}`,
  docs: `${start}${docsPath(version)}`
})

/** Responds with the name of the server, its version and its addresses. */
export const respond = (about: About) =>
  Effect.map(Effect.flatMap(HttpServerRequest.HttpServerRequest, originOf), (start) =>
    HttpServerResponse.jsonUnsafe({
      name: "webagent-server",
      version: serverVersion,
      ...about,
      versions: { v2: links("v2", start), v3: links("v3", start), v4: links("v4", start) }
    })
  )
