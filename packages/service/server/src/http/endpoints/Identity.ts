import { type ApiVersion, basePath } from "@webagent/contract/Wire"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { originOf } from "../../api/Origin.ts"
import { version as serverVersion } from "./Version.ts"
import { docsPath, openApiPath } from "./Docs.ts"

const links = (version: ApiVersion, start: string) => ({
  baseUrl: `${start}${basePath[version]}`,
  openapi: `${start}${openApiPath(version)}`,
  docs: `${start}${docsPath(version)}`
})

/** `/` names the server, its version and its addresses. It takes no key. */
export const layer = (about: Readonly<Record<string, unknown>>) =>
  HttpRouter.add(
    "GET",
    "/",
    Effect.map(Effect.flatMap(HttpServerRequest.HttpServerRequest, originOf), (start) => {
      return HttpServerResponse.jsonUnsafe({
        name: "webagent-server",
        version: serverVersion,
        ...about,
        versions: { v2: links("v2", start), v3: links("v3", start), v4: links("v4", start) }
      })
    })
  )
