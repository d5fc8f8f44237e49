import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import * as OpenApi from "effect/http-api/OpenApi"
import { declared, TooManyRequestsError, UnauthorizedError } from "./Errors.ts"
import { apiKeyHeader } from "./Wire.ts"

/**
 * Every request carries an API key in the header `X-Service-API-Key`. A server provides the check; clients set
 * the header in their transport, under the name that their deployment uses.
 */
export class ApiKeyAuth extends HttpApiMiddleware.Service<ApiKeyAuth>()("@webagent/contract/ApiKeyAuth", {
  security: {
    apiKey: HttpApiSecurity.apiKey({ key: apiKeyHeader, in: "header" }).pipe(
      HttpApiSecurity.annotate(OpenApi.Description, "Created by the account owner in the web console's settings.")
    )
  },
  error: [declared(UnauthorizedError), declared(TooManyRequestsError)]
}) {}
