import type { Duplex } from "node:stream"

/** Address of a browser's DevTools. */
export interface DevTools {
  /** The address of the browser's target: `ws://127.0.0.1:...`. */
  readonly address: string
  /** Opens a socket to them where they are in a network of their own; null where the address is of the server's. */
  readonly connect: ((done: (error: Error | null, socket: Duplex) => void) => void) | null
}

/** The DevTools of one page. */
export const ofPage = ({ address, connect }: DevTools, targetId: string): DevTools => ({
  address: address.replace(/browser\/[^/]*$/u, `page/${targetId}`),
  connect
})
