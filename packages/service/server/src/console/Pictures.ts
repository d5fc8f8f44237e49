import { consoleApiPath } from "@webagent/admin"
import { LiveViews, type LiveViewsService, type Node } from "@webagent/engine"
import * as Effect from "effect/Effect"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Stream from "effect/Stream"
import { Nodes } from "../nodes/Nodes.ts"
import * as Tunnel from "../nodes/Tunnel.ts"

/** Time between two pictures of a browser. */
const pause = "500 millis"

/** The largest picture that another node may send. */
const largest_bytes = 8 * 1024 * 1024

/** The JPEGs of a browser that runs here, two per second at most; none while a secret is in them. */
const here = (views: LiveViewsService, id: string) =>
  Stream.unwrap(
    Effect.map(views.open(id), ({ isConcealed, views: shown }) =>
      shown.pipe(
        Stream.filter(({ picture }) => picture !== null && !isConcealed()),
        Stream.map(({ picture }) => picture),
        Stream.changes,
        // a slow page gets the newest picture, and none of those before
        Stream.buffer({ capacity: 1, strategy: "sliding" }),
        Stream.throttle({ cost: () => 1, units: 1, duration: pause }),
        Stream.flatMap((picture) => (picture === null ? Stream.empty : Stream.succeed(picture.jpeg)))
      )
    )
  )

/** A picture in the stream of a node: its length in four bytes, and the JPEG. */
export const frameOf = (jpeg: Uint8Array): Uint8Array => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(jpeg.length)
  return Buffer.concat([length, jpeg])
}

/** The pictures in bytes that a node streamed, and the rest of the bytes. */
export const unframe = (before: Uint8Array, bytes: Uint8Array): readonly [Uint8Array, ReadonlyArray<Uint8Array>] => {
  const pictures: Array<Uint8Array> = []
  let rest = Buffer.concat([before, bytes])
  while (rest.length >= 4) {
    const length = rest.readUInt32BE()
    if (length > largest_bytes) throw new RangeError(`A picture of ${length} bytes is too large`)
    if (rest.length < 4 + length) break
    pictures.push(rest.subarray(4, 4 + length))
    rest = rest.subarray(4 + length)
  }
  return [rest, pictures]
}

/** The JPEGs of a browser that runs at another node, which checks the page's session itself. */
const there = (node: Node, id: string, { headers }: HttpServerRequest.HttpServerRequest) =>
  Tunnel.read(node, {
    url: `${consoleApiPath}/pictures/${encodeURIComponent(id)}`,
    headers: { host: headers["host"] ?? "", cookie: headers["cookie"] ?? "" }
  }).pipe(Stream.mapAccum((): Uint8Array => Buffer.alloc(0), unframe))

/** Makes the pictures of browsers. Both are empty for a browser without a live view. */
export const make = Effect.gen(function* () {
  const views = yield* LiveViews
  const nodes = yield* Nodes
  const ofThisNode = (id: string) => (views?.has(id) === true ? here(views, id) : Stream.empty)
  return {
    ofThisNode,
    /** Pictures of a browser at any node, for the page that sent a request. */
    of: (id: string, request: HttpServerRequest.HttpServerRequest): Stream.Stream<Uint8Array, unknown> => {
      if (nodes === null || views?.has(id) === true) return ofThisNode(id)
      return Stream.unwrap(
        Effect.map(nodes.ofBrowser(id), (node) =>
          node === undefined || node === "silent" ? Stream.empty : there(node, id, request)
        )
      ).pipe(Stream.provideService(Nodes, nodes))
    }
  }
})
