import { apiKeyHeader } from "@webagent/contract/Wire"
import { declared, TooManyRequestsError, UnauthorizedError } from "@webagent/contract"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as HttpApiSecurity from "effect/http-api/HttpApiSecurity"
import { errors } from "./Errors.ts"

/**
 * Every request of the admin API carries an API key in the header `X-Service-API-Key`. A key with the scope `admin` sees
 * the records of every key, any other key sees its own.
 */
export class AdminKeyAuth extends HttpApiMiddleware.Service<AdminKeyAuth>()("@webagent/admin/AdminKeyAuth", {
  security: { apiKey: HttpApiSecurity.apiKey({ key: apiKeyHeader, in: "header" }) },
  error: [declared(UnauthorizedError), errors.forbidden, declared(TooManyRequestsError)]
}) {}
