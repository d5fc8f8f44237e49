import { AsyncLocalStorage } from "node:async_hooks"

/** Takes the reason of a rejected promise that nothing awaits. */
export type Listener = (reason: unknown) => void

/** The listener of the code that runs, while it is one of them. */
const listenerOfCode = new AsyncLocalStorage<Listener>()
const listeners = new Set<Listener>()
/** Those that hear only of the code that they were given. */
const own = new Set<Listener>()

const dispatch = (reason: unknown) => {
  const listener = listenerOfCode.getStore()
  if (listener !== undefined && own.has(listener)) return listener(reason)
  for (const each of listeners) each(reason)
}

const add = (set: Set<Listener>, listener: Listener) => {
  if (listeners.size + own.size === 0) process.on("unhandledRejection", dispatch)
  set.add(listener)
  return () => {
    set.delete(listener)
    if (listeners.size + own.size === 0) process.off("unhandledRejection", dispatch)
  }
}

/** Listens to what no code with a listener of its own rejects, and so keeps it from ending the process. */
export const listen = (listener: Listener): (() => void) => add(listeners, listener)

/** Runs code whose rejections go to a listener of its own, and to no other; gives them up when the code has ended. */
export const listenTo = async <A>(listener: Listener, code: () => Promise<A>): Promise<A> => {
  const stop = add(own, listener)
  try {
    const result = await listenerOfCode.run(listener, code)
    // what was rejected just now is told in the next turn
    await new Promise((resolve) => setImmediate(resolve))
    return result
  } finally {
    stop()
  }
}
