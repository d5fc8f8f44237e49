import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** One command as a client sends it; without a `sessionId` it is for the browser itself. */
const Command = Schema.Struct({
  id: Schema.Int,
  method: Schema.String,
  params: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  sessionId: Schema.optionalKey(Schema.String)
})
export type Command = typeof Command.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Command))

/** The command in a message, or nothing when the message is none. */
export const command = (message: string): Command | undefined => Option.getOrUndefined(decode(message))

/** The result of a command; its fields depend on the method. */
export type Result = Readonly<Record<string, unknown>>

/** The error of a refused command, with Chromium's JSON-RPC code. */
export interface Refusal {
  readonly code: number
  readonly message: string
}

/** The message is no command. */
export const notACommand: Refusal = { code: -32_600, message: "Message must be an object with integer id and method" }

/** The simulated browser does not have the method. */
export const unknownMethod = (method: string): Refusal => ({
  code: -32_601,
  message: `'${method}' wasn't found: this browser is simulated`
})

/** A parameter is missing or of another type than CDP says. */
export const invalidParameters: Refusal = { code: -32_602, message: "Invalid parameters" }

/** The session was detached, or never was one of this connection. */
export const unknownSession: Refusal = { code: -32_001, message: "Session with given id not found." }

/** The command is well formed and cannot be done. */
export const impossible = (message: string): Refusal => ({ code: -32_000, message })

const address = (sessionId: string | undefined) => (sessionId === undefined ? {} : { sessionId })

/** The text of an answer. */
export const answer = ({ id, sessionId }: Command, result: Result): string =>
  JSON.stringify({ id, result, ...address(sessionId) })

/** The text of a refusal; of a message that is no command it has no id. */
export const refusal = (command: Command | undefined, error: Refusal): string =>
  JSON.stringify(command === undefined ? { error } : { id: command.id, error, ...address(command.sessionId) })

/** The text of an event; without a session it comes from the browser itself. */
export const event = (sessionId: string | undefined, method: string, params: Result): string =>
  JSON.stringify({ method, params, ...address(sessionId) })
