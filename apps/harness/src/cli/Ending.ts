/** Whether Ctrl-C is how this process ends, and no failure: it serves, or watches. */
export const byHand = { now: false }
