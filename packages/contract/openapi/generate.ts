/** Writes the OpenAPI document of each version beside this file: `npm run openapi`. */
import * as OpenApi from "effect/http-api/OpenApi"
import { writeFileSync } from "node:fs"
import { V2Api } from "../src/v2/Api.ts"
import { V3Api } from "../src/v3/Api.ts"
import { V4Api } from "../src/v4/Api.ts"

/** The document of each version as the text of its file. */
export const documents = (): Record<"v2" | "v3" | "v4", string> => ({
  v2: `${JSON.stringify(OpenApi.fromApi(V2Api), null, 2)}\n`,
  v3: `${JSON.stringify(OpenApi.fromApi(V3Api), null, 2)}\n`,
  v4: `${JSON.stringify(OpenApi.fromApi(V4Api), null, 2)}\n`
})

if (import.meta.main) {
  for (const [version, text] of Object.entries(documents())) {
    writeFileSync(new URL(`${version}.json`, import.meta.url), text)
  }
}
