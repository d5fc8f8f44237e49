import { ApiKeyAuth } from "@webagent/contract"
import { type ApiVersion, basePath } from "@webagent/contract/Wire"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { filePath, uploadPath } from "../../api/FileLinks.ts"
import { livePath, recordingPath, sharePath } from "../../api/Links.ts"
import { NodeRouting, Placement } from "../../api/Placement.ts"
import { cdpPath } from "../../api/v4/Conversion.ts"

const { get, put } = HttpApiEndpoint

/** The path of the OpenAPI document of a version. */
export const openApiPath = <const Version extends ApiVersion>(version: Version) =>
  `${basePath[version]}/openapi.json` as const

/** The path of the docs page of a version. */
export const docsPath = <const Version extends ApiVersion>(version: Version) => `${basePath[version]}/docs` as const

const cdp = cdpPath(":browser_id")
const live = `${livePath(":browser_id")}/:token` as const

const ofBrowser: Placement = { node: "ofBrowser", param: "browser_id" }
const ofFiles: Placement = { node: "ofFiles", param: "id" }

/**
 * The endpoints of this server that the description doesn't have. Except for the steps and the attachments of a run, they take no key: a
 * token in the address of a link opens it. `/mcp` isn't one of them, because it takes every method.
 */
export const ServerApi = HttpApi.make("server")
  .add(
    HttpApiGroup.make("service").add(
      get("identity", "/"),
      get("ready", "/ready"),
      get("health", "/health"),
      get("metrics", "/metrics")
    )
  )
  .add(
    HttpApiGroup.make("documents").add(
      get("v2", openApiPath("v2")),
      get("v3", openApiPath("v3")),
      get("v4", openApiPath("v4")),
      get("v2Page", docsPath("v2")),
      get("v3Page", docsPath("v3")),
      get("v4Page", docsPath("v4"))
    )
  )
  .add(
    HttpApiGroup.make("cdp")
      .add(
        get("browser", cdp),
        get("page", `${cdp}/devtools/page/:target_id`),
        get("pages", `${cdp}/json`),
        get("list", `${cdp}/json/list`),
        get("version", `${cdp}/json/version`),
        // CDP libraries also request these with a slash at the end
        get("listSlash", `${cdp}/json/list/`),
        get("versionSlash", `${cdp}/json/version/`)
      )
      .annotateEndpoints(Placement, ofBrowser)
  )
  .add(
    HttpApiGroup.make("live")
      .add(get("page", live), get("socket", `${live}/socket`))
      .annotateEndpoints(Placement, ofBrowser)
  )
  .add(
    HttpApiGroup.make("recordings")
      .add(get("browser", recordingPath(":id")), get("picture", recordingPath(":id/:picture")))
      .annotateEndpoints(Placement, ofFiles)
  )
  .add(
    HttpApiGroup.make("files").add(put("upload", uploadPath(":upload_id")), get("download", filePath(":workspace_id")))
  )
  .add(HttpApiGroup.make("shares").add(get("session", sharePath(":session_id"))))
  .add(
    HttpApiGroup.make("attachments").add(
      get("zip", `${basePath.v4}/runs/:run_id/attachments.zip`).middleware(ApiKeyAuth)
    )
  )
  .add(HttpApiGroup.make("steps").add(get("list", `${basePath.v4}/runs/:run_id/steps`).middleware(ApiKeyAuth)))
  .middleware(NodeRouting)
