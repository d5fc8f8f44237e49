/** The parts of Node's `process` that signals need. */
interface Process {
  readonly pid: number
  readonly kill: (pid: number, signal: string) => void
  readonly listenerCount: (signal: string) => number
  readonly on: (signal: string, listener: (signal: string) => void) => void
  readonly off: (signal: string, listener: (signal: string) => void) => void
}

const names = ["SIGINT", "SIGTERM"]

type Close = () => Promise<unknown>

/** The clients that are open, by their `close`. One that is no longer used, and not closed, can be collected. */
const clients = new Set<WeakRef<Close>>()

const { Bun, Deno, process } = globalThis as {
  readonly process?: Process
  readonly Bun?: object
  readonly Deno?: object
}

/** In Node alone: elsewhere a listener would keep the process alive. */
const node = Bun === undefined && Deno === undefined && process?.listenerCount !== undefined ? process : undefined

const listen = (method: "on" | "off") => names.forEach((name) => node?.[method](name, onSignal))

/** Closes the clients, so that they name or cancel what they leave, then lets the signal end the process. */
const onSignal = (signal: string): void => {
  // a program with a listener of its own decides what is closed, and when
  if (node === undefined || node.listenerCount(signal) > 1) return
  // a second signal ends the process at once
  listen("off")
  void Promise.allSettled(Array.from(clients, (client) => client.deref()?.())).then(() => node.kill(node.pid, signal))
}

/** Closes a client when the process is interrupted or terminated. Returns a function that ends that. */
export const add = (close: Close): (() => void) => {
  if (clients.size === 0) listen("on")
  for (const client of clients) if (client.deref() === undefined) clients.delete(client)
  const client = new WeakRef(close)
  clients.add(client)
  return () => {
    if (clients.delete(client) && clients.size === 0) listen("off")
  }
}
