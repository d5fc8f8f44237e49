import * as Schema from "effect/Schema"
import { Identifier } from "../Identifier.ts"
import { cursorQuery, pageQuery } from "../PageQuery.ts"

/** The query of `GET /sessions`: a page by its number. */
export const SessionListQuery = Schema.Struct(pageQuery)
export type SessionListQuery = typeof SessionListQuery.Type

/**
 * The query of a session's messages. `after` and `before` are the id of a message: the response has the messages that
 * follow it, or those that precede it. Without either, it starts at the first message.
 */
export const SessionMessagesQuery = Schema.Struct({
  after: Schema.optionalKey(Identifier),
  before: Schema.optionalKey(Identifier),
  limit: cursorQuery.limit
})
export type SessionMessagesQuery = typeof SessionMessagesQuery.Type

/** The query of `GET /profiles`: a part of a name, in any case, and a page by its number. */
export const ProfileListQuery = Schema.Struct({ query: Schema.optionalKey(Schema.String), ...pageQuery })
export type ProfileListQuery = typeof ProfileListQuery.Type
