const names = ["SIGINT", "SIGTERM"]

type Close = () => Promise<unknown>

/** The open clients of all copies of this module, and the listener of the copy that was loaded first. */
interface Open {
  /** By their `close`. A client that is no longer used, and not closed, can be collected. */
  readonly clients: Set<WeakRef<Close>>
  readonly onSignal: (signal: string) => void
}

/** Closes the clients, so that they name or cancel what they leave, then lets the signal end the process. */
const onSignal = (signal: string): void => {
  // a program with a listener of its own decides what is closed, and when
  if (process.listenerCount(signal) > 1) return
  // a second signal ends the process at once
  listen("off")
  const closing = Array.from(open.clients, (client) => client.deref()?.())
  void Promise.allSettled(closing).then(() => process.kill(process.pid, signal))
}

const key: unique symbol = Symbol.for("@webagent/core/Signals")

// each package of promise clients contains a copy of this module, and two listeners would leave a signal to each other
const open = ((process as { [key]?: Open })[key] ??= { clients: new Set(), onSignal })

const listen = (method: "on" | "off") => names.forEach((name) => process[method](name, open.onSignal))

/** Closes a client when the process is interrupted or terminated. Returns a function that ends that. */
export const add = (close: Close): (() => void) => {
  const { clients } = open
  if (clients.size === 0) listen("on")
  for (const client of clients) if (client.deref() === undefined) clients.delete(client)
  const client = new WeakRef(close)
  clients.add(client)
  return () => {
    if (clients.delete(client) && clients.size === 0) listen("off")
  }
}
