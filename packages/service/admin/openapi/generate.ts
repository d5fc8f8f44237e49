/** Writes the OpenAPI document of the admin API beside this file: `npm run openapi`. */
import * as OpenApi from "effect/http-api/OpenApi"
import { writeFileSync } from "node:fs"
import { AdminApi } from "../src/Api.ts"

/** The document as the text of its file. */
export const document = (): string => `${JSON.stringify(OpenApi.fromApi(AdminApi), null, 2)}\n`

if (import.meta.main) writeFileSync(new URL("admin.json", import.meta.url), document())
