import type { Socket } from "node:net"
import type { Target } from "./Address.ts"

/** Bytes between the proxy of a browser and the network. */
export interface Bytes {
  readonly sent: number
  readonly received: number
}

/** The connections of one browser: to its proxy, and from there to the network. */
export interface Traffic {
  /** Holds a connection of the browser. */
  readonly client: (socket: Socket) => void
  /** Holds a connection to the network, and counts its bytes. */
  readonly upstream: (target: Target, socket: Socket) => void
  /** Number of connections to the network. */
  readonly upstreams: () => number
  readonly bytes: () => Bytes
  /** Ends the connections to targets that are refused by now. */
  readonly endWhere: (isRefused: (target: Target) => boolean) => void
  readonly end: () => void
}

/** Connections that end when they were silent both ways for this time. */
export const make = (idle_ms: number): Traffic => {
  const clients = new Set<Socket>()
  const upstreams = new Map<Socket, Target>()
  const past = { sent: 0, received: 0 }
  const count = (to: { sent: number; received: number }, { bytesRead, bytesWritten }: Socket) => {
    to.sent += bytesWritten
    to.received += bytesRead
  }
  const keep = (socket: Socket) => {
    socket.on("error", () => socket.destroy())
    socket.setTimeout(idle_ms, () => socket.destroy())
  }
  return {
    client: (socket) => {
      clients.add(socket)
      keep(socket)
      socket.once("close", () => clients.delete(socket))
    },
    upstream: (target, socket) => {
      upstreams.set(socket, target)
      keep(socket)
      socket.once("close", () => {
        upstreams.delete(socket)
        count(past, socket)
      })
    },
    upstreams: () => upstreams.size,
    bytes: () => {
      const total = { ...past }
      for (const socket of upstreams.keys()) count(total, socket)
      return total
    },
    endWhere: (isRefused) => {
      for (const [socket, target] of upstreams) if (isRefused(target)) socket.destroy()
    },
    end: () => {
      for (const socket of [...clients, ...upstreams.keys()]) socket.destroy()
    }
  }
}
