import { WebSocket } from "@effect/platform-node/NodeWS"
import type { Duplex } from "node:stream"

/** Interval between pings of a connection, because proxies between client and server close silent ones. */
const ping_ms = 30_000

const pinged = (socket: BytesWebSocket): NodeJS.Timeout => {
  // oxlint-disable-next-line no-restricted-globals -- proxies count real time, whatever the service's clock says
  const pings = setInterval(() => {
    if (socket.readyState !== WebSocket.OPEN) return
    socket.ping()
    socket.endStalled()
  }, ping_ms).unref()
  socket.once("close", () => clearInterval(pings))
  return pings
}

/** The first byte of each CDP text, which is a JSON object. */
const brace = 0x7b

/** The largest message of a connection that has a limit of its own. */
const limits = new WeakMap<Duplex, number>()

/** Before the upgrade: a larger message ends the connection with 1009, without being read to its end. */
export const limitMessages = (wire: Duplex, largest_bytes: number): void => void limits.set(wire, largest_bytes)

/** The function that takes a connection's messages in place of the reader of its socket. */
const relays = new WeakMap<Duplex, (socket: BytesWebSocket) => void>()

/** Before the upgrade: `relay` gets the socket, with all its messages; its reader only waits for its end. */
export const relayMessages = (wire: Duplex, relay: (socket: BytesWebSocket) => void): void =>
  void relays.set(wire, relay)

/** Access of other code that writes frames to a connection and reads its incoming bytes. */
interface Shared {
  /** True if all frames that were written so far are complete. */
  readonly areWhole: () => boolean
  /** True if the bytes that arrived so far stop at the end of a message. */
  readonly isBetween: () => boolean
  readonly onBytes: (bytes: Buffer) => void
}

/** The WebSocket close code for a client that does what it must not. */
const policyCode = 1008

/**
 * A server's WebSocket whose messages are bytes as they came. Bytes of a JSON object leave as text: CDP is text that is
 * passed on. Others, such as pictures, leave as bytes.
 */
export class BytesWebSocket extends WebSocket {
  readonly pings = pinged(this)
  #isCarried = false
  #wire: Duplex | undefined
  #shared: Shared | undefined
  #isHeard = false
  readonly #waiting: Array<() => void> = []

  /** As in the class, but for messages, which that decodes. */
  override addEventListener: WebSocket["addEventListener"] = (type, listener, options) => {
    if (type !== "message") return super.addEventListener(type, listener, options)
    if (this.#isCarried) return
    const hear = typeof listener === "function" ? listener : listener.handleEvent
    this.on("message", (data) => hear({ data, type, target: this } as never))
  }

  /** As in the class, whose types leave it out: called at the upgrade, before anything is read. */
  setSocket(wire: Duplex, head: Buffer, options: { readonly maxPayload: number }): void {
    const maxPayload = limits.get(wire) ?? options.maxPayload
    Reflect.apply(Reflect.get(WebSocket.prototype, "setSocket"), this, [wire, head, { ...options, maxPayload }])
    this.#wire = wire
    const relay = relays.get(wire)
    this.#isCarried = relay !== undefined
    relay?.(this)
  }

  /** From now on it says nothing within the frames of others, and hears what the returned function is given. */
  share(shared: Shared): (bytes: Buffer) => void {
    const wire = this.#wire
    let hear = wire?.listeners("data") ?? []
    // after bytes that are no frames it hears nothing more
    this.once("error", () => (hear = []))
    wire?.removeAllListeners("data").on("data", (bytes: Buffer) => {
      this.#isHeard = true
      shared.onBytes(bytes)
    })
    this.#shared = shared
    return (bytes) => hear.forEach((one) => Reflect.apply(one, wire, [bytes]))
  }

  /** Closes a connection whose client began a message and went silent: the half of it would stay in memory. */
  endStalled(): void {
    if (this.#shared?.isBetween() === false && !this.#isHeard && !this.isPaused) {
      this.close(policyCode, "The message was not finished")
    }
    this.#isHeard = false
  }

  /** True if it has frames that wait to be sent. */
  mustWait(): boolean {
    return this.#waiting.length > 0
  }

  /** Says what waited, unless it must wait on, and tells that it did. */
  sayOn(done: () => void): void {
    if (!this.#maySay()) return
    for (const say of this.#waiting.splice(0)) say()
    done()
  }

  #maySay(): boolean {
    return this.#shared?.areWhole() ?? true
  }

  #say(say: () => void): void {
    if (this.#maySay()) say()
    else this.#waiting.push(say)
  }

  override ping(...args: Parameters<WebSocket["ping"]>): void {
    this.#say(() => super.ping(...args))
  }

  override pong(...args: Parameters<WebSocket["pong"]>): void {
    this.#say(() => super.pong(...args))
  }

  /** As in the class; where it may not speak, the connection is cut. */
  override close(...args: Parameters<WebSocket["close"]>): void {
    if (this.#maySay()) super.close(...args)
    else this.terminate()
  }

  /** As in the class; what is sent together leaves together. */
  override send(data: Parameters<WebSocket["send"]>[0]): void {
    this.#say(() => this.#send(data))
  }

  #send(data: Parameters<WebSocket["send"]>[0]): void {
    if (this.#wire?.writableCorked === 0) {
      const wire = this.#wire
      wire.cork()
      process.nextTick(() => wire.uncork())
    }
    const isPicture = data instanceof Uint8Array && data[0] !== brace
    super.send(data, { binary: isPicture })
  }
}
