/** Does nothing where no signals can be handled, or where a listener would keep the process alive. */
export const add = (_close: () => Promise<unknown>) => () => undefined
