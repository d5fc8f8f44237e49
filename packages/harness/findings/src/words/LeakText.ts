import type { LeakedBrowser } from "@webagent/report/Trial"

/** Describes the browsers that a trial left open, each in a sentence. */
export const text = (browsers: ReadonlyArray<LeakedBrowser>): string =>
  browsers
    .map(({ id, stopped }) =>
      stopped
        ? `The scenario didn't stop browser ${id}; the harness stopped it after the trial.`
        : `The scenario didn't stop browser ${id}, and the harness couldn't stop it either.`
    )
    .join(" ")
