import { declared, TooManyRequestsError, UnauthorizedError } from "@webagent/contract"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { AdminOperations } from "./Api.ts"
import { ForbiddenError } from "./Errors.ts"
import { consoleApiPath } from "./Wire.ts"

/** Sign-in state of a browser. */
export const SignInState = Schema.Struct({
  /**
   * `open` if the server asks for no key, which only a simulated service on this machine does; `insecure` if it takes no
   * key here because the connection isn't encrypted.
   */
  state: Schema.Literals(["open", "signedIn", "signedOut", "insecure"]),
  /** Name of the key; null without one. */
  key: Schema.NullOr(Schema.String)
}).annotate({ identifier: "SignInState" })
export type SignInState = typeof SignInState.Type

/** Sign-in to the console: an API key once, then a session cookie that no script can read. */
export class SignInGroup extends HttpApiGroup.make("signIn").add(
  HttpApiEndpoint.get("state", "/session", { success: SignInState }).annotate(
    OpenApi.Summary,
    "Read the sign-in state"
  ),
  HttpApiEndpoint.post("create", "/session", {
    payload: Schema.Struct({ key: Schema.RedactedFromValue(Schema.NonEmptyString.check(Schema.isMaxLength(1000))) }),
    success: SignInState,
    error: [declared(UnauthorizedError), declared(TooManyRequestsError), ForbiddenError]
  }).annotate(OpenApi.Summary, "Sign in with an API key"),
  HttpApiEndpoint.delete("remove", "/session", { success: HttpApiSchema.NoContent }).annotate(
    OpenApi.Summary,
    "Sign out"
  )
) {}

/** The API of the console's pages: the admin API's operations and the sign-in, at `/console/api`. */
export class ConsoleApi extends AdminOperations.add(SignInGroup).prefix(consoleApiPath) {}

/**
 * A message of a page to its WebSocket; each message replaces the one before. The server sends text frames, each with an array
 * of `{ id, event, data }` as in `LiveEvent`, and binary frames with pictures: the length of the browser's id in one
 * byte, the id, and a JPEG.
 */
export const SocketRequest = Schema.Struct({
  /** The `id` of the last event that the page has; null at first. Only the first message's counts. */
  after: Schema.NullOr(Schema.String),
  /** The run whose steps and model calls to send; null for none. */
  run: Schema.NullOr(Schema.String),
  /** Ids of the browsers whose pictures to send. */
  pictures: Schema.Array(Schema.String.check(Schema.isMaxLength(200))).check(Schema.isMaxLength(100))
}).annotate({ identifier: "SocketRequest" })
export type SocketRequest = typeof SocketRequest.Type
