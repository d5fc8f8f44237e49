import * as Data from "effect/Data"

/** An action did not work. The message is for the model: what happened, and what to do. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}

/** The browser is gone: nothing more can be done in it. */
export class BrowserLost extends Data.TaggedError("BrowserLost")<{ readonly message: string }> {}

export const browserGone = () => new BrowserLost({ message: "The browser is gone." })

/** The browser cannot be used by an agent. The message says what to do. */
export class BrowserUnusable extends Data.TaggedError("BrowserUnusable")<{ readonly message: string }> {}
