import * as Frames from "@webagent/cdp/Frames"
import type { CdpFrames, CdpTransport } from "@webagent/engine"
import type { Socket } from "node:net"
import type { BytesWebSocket } from "./BytesWebSocket.ts"

/** The first byte of a frame that is a whole message: a text, or bytes, which CDP takes for a text. */
const wholeText = 0x81
const wholeBytes = 0x82

/** Takes the mask from a frame: its bytes are as they were meant, and its key, now zero, changes nothing. */
const unmask = (bytes: Buffer, key: number, end: number) => {
  const start = key + 4
  for (let at = start; at < end; at++) bytes[at] = (bytes[at] ?? 0) ^ (bytes[key + ((at - start) & 3)] ?? 0)
  bytes.fill(0, key, start)
}

/**
 * Positions of the key and of the end of a masked frame with a complete message; undefined for others, and for an
 * incomplete one.
 */
const wholeFrame = (bytes: Buffer, at: number): { readonly key: number; readonly end: number } | undefined => {
  const [first = 0, second = 0] = [bytes[at], bytes[at + 1]]
  const isShort = second < 0x80 + 126
  // one that is longer than 64 KiB does not arrive at once
  if ((first !== wholeText && first !== wholeBytes) || second < 0x80 || second === 0xff) return undefined
  const key = at + (isShort ? 2 : 4)
  if (key > bytes.length) return undefined
  const end = key + 4 + (isShort ? second & 0x7f : bytes.readUInt16BE(at + 2))
  return end > bytes.length ? undefined : { key, end }
}

/** Passes a client's frames on: whole ones as they are, once their mask is off. The socket reads all others. */
const passFrames = (socket: BytesWebSocket, { areWhole, pass, passes }: CdpFrames, send: (message: Buffer) => void) => {
  const read = Frames.make()
  const onBytes = (bytes: Buffer) => {
    let at = 0
    let from = 0
    const flush = (until: number) => {
      if (from < at) pass(at - from === bytes.length ? bytes : bytes.subarray(from, at))
      from = at = until
    }
    const isOpen = read.isBetween() && socket.readyState === socket.OPEN
    for (let whole = isOpen ? wholeFrame(bytes, at) : undefined; whole !== undefined; whole = wholeFrame(bytes, at)) {
      const { end, key } = whole
      unmask(bytes, key, end)
      bytes[at] = wholeText
      const message = bytes.subarray(key + 4, end)
      if (passes(message)) {
        at = end
        continue
      }
      flush(end)
      send(message)
    }
    flush(at)
    if (at === bytes.length) return
    hear(bytes.subarray(at))
    while (at < bytes.length) at = read.next(bytes, at)
  }
  const hear = socket.share({ areWhole, isBetween: read.isBetween, onBytes })
}

/** Carries messages both ways, in callbacks, as fast as both ends read. */
export const relay =
  (wire: Socket, transport: CdpTransport) =>
  (socket: BytesWebSocket): void => {
    let takes = true
    // stop reading from a client that does not read: its answers would fill the memory
    const proceed = () => {
      if (takes && !wire.writableNeedDrain && !socket.mustWait()) socket.resume()
    }
    const restrain = () => {
      if (!wire.writableNeedDrain) return
      transport.pause()
      socket.pause()
    }
    const taken = (whether: boolean) => {
      takes = whether
      if (!takes || socket.mustWait()) socket.pause()
    }
    const send = (message: Buffer) => taken(transport.send(message))
    socket.on("message", (message: Buffer | ArrayBuffer) =>
      send(Buffer.isBuffer(message) ? message : Buffer.from(message))
    )
    wire.on("drain", () => {
      transport.resume()
      proceed()
    })
    transport.receive({
      onMessage: (message) => {
        socket.send(message)
        restrain()
      },
      onDrain: () => {
        takes = true
        proceed()
      },
      onFrames: (bytes) => {
        wire.write(bytes)
        if (socket.mustWait()) socket.sayOn(proceed)
        restrain()
      }
    })
    const { frames } = transport
    if (frames === undefined) return
    passFrames(socket, { ...frames, pass: (bytes) => (taken(frames.pass(bytes)), true) }, send)
  }
