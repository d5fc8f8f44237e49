import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Frames from "@webagent/cdp/Frames"
import type { Node } from "@webagent/engine"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as HttpServerError from "effect/http/HttpServerError"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as http from "node:http"
import * as https from "node:https"
import { isIP, type Socket } from "node:net"
import { buffer } from "node:stream/consumers"
import { Nodes } from "./Nodes.ts"
import * as Signature from "./Signature.ts"

/**
 * A node does not answer. `applied` tells whether the request was carried out: `no`, or `unknown` when it may have
 * been.
 */
export class NodeUnreachable extends Data.TaggedError("NodeUnreachable")<{
  readonly node: Node
  readonly applied: "no" | "unknown"
}> {}

/** Time limit for another node to accept a connection. */
const connectWithin_ms = 2000

/** Time limit for a node whose connection broke to respond before it counts as lost. */
const answersWithin = "500 millis"

/** Time limit for a client to disconnect after its WebSocket was closed. */
const leavesWithin = "2 seconds"

/** The WebSocket close code that tells a client that its browser is gone. */
const goneCode = 4001

/** Headers that are of one connection, or of a body as it was sent. */
const ofConnection = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

const passedOn = (headers: http.IncomingHttpHeaders | Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      ofConnection.has(name) || value === undefined ? [] : [[name, String(value)]]
    )
  )

/** Response of another node, or a switch to another protocol on the connection. */
interface Answer {
  readonly response: http.IncomingMessage
  readonly upgraded?: { readonly there: Socket; readonly head: Buffer }
}

interface Question extends Signature.Signed {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

/** Sends one request to another node. */
const ask = (node: Node, { body, headers, method, url }: Question): Effect.Effect<Answer, NodeUnreachable> =>
  Effect.callback<Answer, NodeUnreachable>((resume) => {
    let applied: "no" | "unknown" = "no"
    const unreachable = () => resume(Effect.fail(new NodeUnreachable({ node, applied })))
    const address = node.address === null ? null : URL.parse(node.address)
    if (address === null) return unreachable()
    const { port, protocol } = address
    const hostname = address.hostname.replace(/^\[(.*)\]$/u, "$1")
    const isSecure = protocol === "https:"
    const request = (isSecure ? https : http).request({
      hostname,
      // its certificate has this name, and not the one that the client sent as Host
      ...(isSecure ? { servername: isIP(hostname) === 0 ? hostname : "" } : {}),
      port,
      method,
      path: url,
      headers,
      agent: false
    })
    request.once("socket", (socket) => {
      socket.setNoDelay(true).setTimeout(connectWithin_ms, () => socket.destroy())
      socket.once(isSecure ? "secureConnect" : "connect", () => {
        if (body !== undefined) applied = "unknown"
        socket.setTimeout(0)
      })
    })
    request.once("response", (response) => resume(Effect.succeed({ response })))
    request.once("upgrade", (response, socket, head) =>
      resume(Effect.succeed({ response, upgraded: { there: socket as Socket, head } }))
    )
    request.once("error", unreachable)
    request.end(body)
    return Effect.sync(() => request.destroy())
  })

/** Reason why a tunnel closed: the other node closed it, the client left, or it broke. */
type End = "closed" | "left" | "cut"

/** Passes bytes both ways, as fast as both ends read, until one of them ends. */
const pass = (here: Socket, there: Socket, frames: Frames.Frames): Effect.Effect<End> =>
  Effect.callback<End>((resume) => {
    const outbound = (bytes: Buffer) => {
      if (!there.write(bytes)) here.pause()
    }
    const inbound = (bytes: Buffer) => {
      frames.follow(bytes)
      if (!here.write(bytes)) there.pause()
    }
    const outboundDrain = () => here.resume()
    const inboundDrain = () => there.resume()
    const finished = () => there.end()
    const ended = () => resume(Effect.succeed(frames.isClosed() ? "closed" : "cut"))
    const left = () => resume(Effect.succeed("left"))
    here.on("data", outbound).on("drain", inboundDrain).on("end", finished).on("close", left)
    there.on("data", inbound).on("drain", outboundDrain).on("end", ended).on("close", ended)
    // an error is followed by the close event
    there.on("error", () => undefined)
    if (here.destroyed) left()
    return Effect.sync(() => {
      here.off("data", outbound).off("drain", inboundDrain).off("end", finished).off("close", left)
      there.off("data", inbound).off("drain", outboundDrain).off("end", ended).off("close", ended)
    })
  })

/** Waits until a socket is closed, and closes it if that takes too long. */
const hungUp = (socket: Socket): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (socket.destroyed) return resume(Effect.void)
    socket.resume().once("close", () => resume(Effect.void))
    return undefined
  }).pipe(Effect.timeoutOption(leavesWithin), Effect.andThen(Effect.sync(() => void socket.destroy())))

/** The head of a response as it came. */
const headOf = ({ rawHeaders, statusCode, statusMessage }: http.IncomingMessage): string => {
  let head = `HTTP/1.1 ${statusCode} ${statusMessage}\r\n`
  for (let index = 0; index < rawHeaders.length; index += 2)
    head += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`
  return `${head}\r\n`
}

/** Asks a node for what only that node can answer. Fails if another node has the address by now. */
const signed = Effect.fnUntraced(function* (node: Node, question: Question) {
  const nodes = yield* Nodes
  if (nodes === null) return yield* new NodeUnreachable({ node, applied: "no" })
  const signature = yield* nodes.sign(node.id, question)
  const answered = ask(node, { ...question, headers: { ...question.headers, [Signature.header]: signature } })
  const { lost } = nodes
  const gone = Effect.andThen(lost(node.id), new NodeUnreachable({ node, applied: "unknown" }))
  const answer = yield* Effect.raceFirst(answered, gone)
  const { headers, statusCode } = answer.response
  if (statusCode === 421 || headers[Signature.header] === Signature.refused) {
    answer.response.resume()
    return yield* new NodeUnreachable({ node, applied: "no" })
  }
  return { ...answer, lost: lost(node.id) }
})

/** The whole body of an answer; its request was carried out, also when the rest of it does not come. */
const bodyOf = (node: Node, response: http.IncomingMessage, lost: Effect.Effect<void>) => {
  const cut = new NodeUnreachable({ node, applied: "unknown" })
  const body = Effect.tryPromise({ try: () => buffer(response), catch: () => cut })
  return Effect.raceFirst(body, Effect.andThen(lost, cut))
}

/** Asks a node whether it is still there. */
const isThere = (node: Node) =>
  signed(node, { method: "HEAD", url: "/", headers: {} }).pipe(
    Effect.tap(({ response }) => Effect.sync(() => response.resume())),
    Effect.timeout(answersWithin),
    Effect.isSuccess
  )

/** Reads the body of another node's response until it ends, or the node is lost; empty if the node refuses the request. */
export const read = (node: Node, question: Pick<Question, "headers" | "url">): Stream.Stream<Uint8Array, unknown> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { lost, response } = yield* Effect.acquireRelease(
        signed(node, { ...question, method: "GET" }),
        ({ response }) => Effect.sync(() => response.destroy()),
        { interruptible: true }
      )
      if (response.statusCode !== 200) return Stream.empty
      return Stream.interruptWhen(
        Stream.fromAsyncIterable<Uint8Array, unknown>(response, (error) => error),
        lost
      )
    })
  )

/**
 * Carries a request to another node, and its answer back: a WebSocket, too, which is passed on as its bytes are. A
 * client whose WebSocket ends with its node is told `farewell`. The other node counts the request among those of its key
 * unless that was done. An answer that is not used is let go with the scope.
 */
export const forward = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  node: Node,
  farewell: string,
  counted: boolean
): Effect.fn.Return<
  HttpServerResponse.HttpServerResponse,
  NodeUnreachable | HttpServerError.HttpServerError,
  Scope.Scope
> {
  const { headers, method, url } = request
  const isUpgrade = method === "GET" && headers["upgrade"]?.toLowerCase() === "websocket"
  const question: Question = {
    method,
    url,
    counted,
    headers: { ...passedOn(headers), ...(isUpgrade ? { connection: "Upgrade", upgrade: "websocket" } : {}) },
    ...(method === "GET" || method === "HEAD" ? {} : { body: new Uint8Array(yield* request.arrayBuffer) })
  }
  const { lost, response, upgraded } = yield* Effect.acquireRelease(
    signed(node, question),
    ({ response }) => Effect.sync(() => response.destroy()),
    { interruptible: true }
  )
  if (upgraded === undefined) {
    const { headers, statusCode: status = 502 } = response
    const answer = { status, headers: passedOn(headers) }
    const isStream = headers["content-type"]?.startsWith("text/event-stream") === true
    // MCP tools read the answer after this scope closes, and their answers are short
    if (question.body !== undefined && !isStream)
      return HttpServerResponse.uint8Array(yield* bodyOf(node, response, lost), answer)
    yield* Effect.forkScoped(
      Effect.andThen(
        lost,
        Effect.sync(() => response.destroy())
      )
    )
    return HttpServerResponse.raw(response, {
      ...answer,
      ...(headers["content-length"] === undefined ? {} : { contentLength: Number(headers["content-length"]) })
    })
  }
  const { head, there } = upgraded
  const here = NodeHttpServerRequest.toIncomingMessage(request).socket
  return yield* Effect.gen(function* () {
    const frames = Frames.make()
    here.write(headOf(response), "latin1")
    frames.follow(head)
    here.write(head)
    const end = yield* Effect.raceFirst(pass(here, there, frames), Effect.as(lost, "lost" as const))
    there.destroy()
    if (end === "closed") here.end()
    // the node lives: it cut this connection alone
    else if (end === "cut" && (yield* isThere(node))) here.resetAndDestroy()
    else if (end !== "left" && frames.isBetween()) here.end(Frames.closing(goneCode, farewell))
    else here.destroy()
    yield* hungUp(here)
    return HttpServerResponse.empty()
  }).pipe(Effect.ensuring(Effect.sync(() => there.destroy())))
})
