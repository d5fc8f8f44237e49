import * as records from "@webagent/test-fixtures/Records"
import * as Browser from "../../src/domain/Browser.ts"
import * as Session from "../../src/domain/Session.ts"
import * as Turn from "../../src/domain/Turn.ts"

/** A turn that was just queued, at time 0. */
export const turn = Turn.make(records.turn)

/** The session of `turn`, with every default. */
export const session = Session.make(records.session)

/** A browser that runs since time 0. */
export const browser = Browser.make(records.browser)
