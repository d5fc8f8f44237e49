/**
 * Hostile cases: what a client of API v4 does with responses, ids, options and callbacks that no one should send. Each runs
 * over undici and over fetch, at a server of its own. Prints the cases that failed.
 */
import { undici } from "@webagent/core/node"
import { WebAgent } from "@webagent/v4/promise"
import assert from "node:assert/strict"
import { getEventListeners } from "node:events"
import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { inspect } from "node:util"
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib"

const key = "wak_canary/7f=3a&b-9c"
const json = { "content-type": "application/json" }

/** Answers JSON. */
const ok = (value, status = 200, headers = {}) => ({
  status,
  headers: { ...json, ...headers },
  body: JSON.stringify(value)
})
/** Answers a text as it is. */
const text = (body, status = 200, headers = json) => ({ status, headers, body })
/** Answers a body in a content coding. */
const coded = (coding, body) => ({ status: 200, headers: { "content-encoding": coding }, body })
/** The first line of a response below HTTP. */
const head = "HTTP/1.1 200 OK\r\n"
/** Answers bytes below HTTP, and ends the connection unless told. */
const raw = (bytes, end = true) => ({ raw: bytes, end })

const done = { id: "r-1", status: "completed", result: 1 }
const made = { id: "r-1", status: "running" }
const browser = { id: "b-1", cdpUrl: "ws://a.example", status: "active" }

/**
 * A server that answers as `script` says, a function or one answer for all. What a function remembers is in `state`: the
 * runs of a case over several transports overlap.
 */
const startServer = async (script) => {
  const seen = []
  const state = {}
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += chunk
    seen.push({ method: request.method, path: request.url, headers: request.headers, body })
    const answer = typeof script === "function" ? script(seen.at(-1), seen.length, state) : script
    if (answer === undefined) return
    if (answer === "cut") return request.socket.destroy()
    if (answer.raw !== undefined) {
      request.socket.write(answer.raw)
      if (answer.end) request.socket.end()
      return
    }
    for (const part of answer.before ?? []) request.socket.write(part)
    response.writeHead(answer.status, answer.headers)
    response.end(answer.body)
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { address: `http://127.0.0.1:${server.address().port}`, seen, state, stop }
}

const sent = (server) => server.seen.map(({ method, path }) => `${method} ${path.replace("/api/v4", "")}`)

/** Returns the reason of a rejection. The case fails if the promise is fulfilled. */
const rejected = async (promise) => {
  try {
    return assert.fail(`was not rejected: ${inspect(await promise)}`)
  } catch (error) {
    if (error?.code === "ERR_ASSERTION") throw error
    return error
  }
}

const isTransport = (error, ...tags) => {
  assert.equal(error?.name, "TransportError", inspect(error))
  assert.ok(tags.includes(error.reason._tag), `${error.reason._tag}: ${error.message}`)
}

/** The test of a case whose read succeeds. */
const isRead = async ({ agent }) => assert.equal((await agent.runs.get("r-1")).result, 1)

/** The test of a case whose read fails as a TransportError with one of these tags. */
const failsAs =
  (...tags) =>
  async ({ agent, note }) =>
    isTransport(note(await rejected(agent.runs.get("r-1"))), ...tags)

/** The test of a case whose call is rejected before anything is sent. */
const sendsNothing =
  (call) =>
  async ({ agent, note, server }) => {
    note(await rejected(call(agent)))
    assert.deepEqual(server.seen, [])
  }

/** The same for calls that are invalid requests. */
const isInvalid =
  (...calls) =>
  async ({ agent, note, server }) => {
    for (const call of calls) isTransport(note(await rejected(call(agent))), "InvalidRequest")
    assert.deepEqual(server.seen, [])
  }

/** Makes options with a callback, and `called`, a promise of its first call. */
const untilCalled = (optionsOf) => () => {
  let call
  const called = new Promise((resolve) => (call = resolve))
  return { called, options: optionsOf(call) }
}

/** Name, what the server answers, what the client does, the client's options, and whether no other case may run meanwhile. */
const cases = []
const add = (name, script, test, options, isAlone = false) => cases.push({ name, script, test, options, isAlone })

// what is read

const reads = {
  "an empty body": text(""),
  null: text("null"),
  "an empty list": text("[]"),
  "a text": text('"r-1"'),
  "a number": text("42"),
  "an id that is null": ok({ id: null }),
  "an id that is a record": ok({ id: {} }),
  NaN: text('{"id":NaN}'),
  "a comma too many": text('{"id":"r-1",}'),
  "two values": text('{"id":"r-1"}{"id":"r-2"}'),
  "UTF-16": text(Buffer.from(JSON.stringify(done), "utf16le")),
  204: { status: 204, headers: {} },
  205: { status: 205, headers: {} }
}
for (const [name, answer] of Object.entries(reads)) {
  add(`a read answered by ${name} is a TransportError`, answer, failsAs("UndecodableAnswer", "ConnectionFailed"))
}

add(
  "of two fields of one name the last one counts",
  text('{"id":"a","id":"r-1","status":"completed"}'),
  async ({ agent }) => {
    assert.equal((await agent.runs.get("r-1")).id, "r-1")
  }
)
add(
  "a field __proto__ pollutes nothing",
  text('{"id":"r-1","status":"completed","__proto__":{"polluted":1},"result":{"__proto__":{"polluted":2}}}'),
  async ({ agent }) => {
    const run = await agent.runs.get("r-1")
    assert.equal({}.polluted, undefined)
    for (const one of [run, run.raw, run.result]) {
      assert.equal(one.polluted, undefined)
      assert.equal(Object.getPrototypeOf(one), Object.prototype)
    }
  }
)
add(
  "fields then, toJSON and constructor do nothing",
  text('{"id":"r-1","status":"completed","result":1,"then":1,"toJSON":2,"constructor":3}'),
  async ({ agent }) => {
    const run = await agent.runs.get("r-1")
    assert.equal(run.result, 1)
    assert.deepEqual(Object.keys(run.raw).toSorted(), ["constructor", "then", "toJSON"])
    assert.ok(JSON.stringify(run).includes("r-1"))
  }
)
add(
  "a result 5,000 lists deep is read",
  text(`{"id":"r-1","status":"completed","result":${"[".repeat(5000)}${"]".repeat(5000)}}`),
  async ({ agent }) => {
    assert.equal((await agent.runs.get("r-1")).id, "r-1")
  }
)
add(
  "numbers beyond what JavaScript holds do not stop a read",
  text('{"id":"r-1","status":"completed","result":1e999,"cost":1e999}'),
  async ({ agent }) => {
    const { cost, raw, status } = await agent.runs.get("r-1")
    assert.deepEqual([status, cost, raw], ["completed", undefined, { cost: Infinity }])
  }
)
add(
  "lone surrogates and bytes that are not UTF-8 are read",
  text(
    Buffer.concat([
      Buffer.from('{"id":"r-1","status":"completed","result":"\\ud800'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}')
    ])
  ),
  async ({ agent }) => {
    assert.equal(typeof (await agent.runs.get("r-1")).result, "string")
  }
)

// what is coded, cut, or no HTTP

const bomb = gzipSync(Buffer.alloc(150 * 1024 * 1024))
add(
  "150 MB in 150 kB of gzip are given up, once",
  coded("gzip", bomb),
  async ({ agent, note, server }) => {
    isTransport(note(await rejected(agent.runs.get("r-1"))), "AnswerTooLarge")
    assert.equal(server.seen.length, 1)
  },
  { retries: 2 }
)
const one = (value) => {
  const body = JSON.stringify(value)
  return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}
add(
  "a second answer on a connection is not taken for that of the next call",
  (_, count) => (count === 1 ? raw(one(done) + one({ ...done, id: "stranger" }), false) : ok({ ...done, id: "r-2" })),
  async ({ agent }) => {
    assert.equal((await agent.runs.get("r-1")).id, "r-1")
    await sleep(20)
    assert.equal((await agent.runs.get("r-2")).id, "r-2")
  },
  { retries: 2 }
)
add(
  "a read whose connection is cut is tried again, with the same request id",
  (_, count) => (count === 1 ? "cut" : ok(done)),
  async ({ agent, server }) => {
    assert.equal((await agent.runs.get("r-1")).result, 1)
    assert.equal(new Set(server.seen.map(({ headers }) => headers["x-request-id"])).size, 1)
  },
  { retries: 2 }
)

// redirects, and what is refused

for (const status of [301, 302, 303, 307, 308]) {
  add(
    `a ${status} to another host is not followed, and its query is not shown`,
    ({ headers }) => ({
      status,
      headers: { location: `http://127.0.0.1:9/x?key=${encodeURIComponent(headers["x-service-api-key"])}` }
    }),
    async ({ agent, note, server }) => {
      const error = note(await rejected(agent.runs.get("r-1")))
      isTransport(error, "UnexpectedStatus")
      assert.equal(error.reason.location, "http://127.0.0.1:9/x")
      assert.equal(server.seen.length, 1)
    }
  )
}
add("a detail that is a record does not hide a 401", ok({ detail: { code: 7 } }, 401), async ({ agent, note }) => {
  assert.equal(note(await rejected(agent.runs.get("r-1"))).name, "UnauthorizedError")
})
add(
  "a 404 with a list for its detail keeps it",
  ok({ detail: [{ msg: "gone fishing" }] }, 404),
  async ({ agent, note }) => {
    assert.match(note(await rejected(agent.runs.get("r-1"))).message, /gone fishing/u)
  }
)
add("a 404 that is empty JSON is the service's own", ok({}, 404), async ({ agent, note }) => {
  assert.equal(note(await rejected(agent.runs.get("r-1"))).name, "RunNotFoundError")
})
add(
  "control characters of an error do not reach its message",
  text(JSON.stringify({ detail: "a\u001b[31m\nb\r\u0000c" }), 404),
  async ({ agent, note }) => {
    const { message } = note(await rejected(agent.runs.get("r-1")))
    assert.doesNotMatch(message, /\p{Cc}/u)
  }
)
for (const [name, after] of Object.entries({
  "a negative number": "-5",
  "no number": "soon",
  "a number with an exponent": "1e9",
  nothing: "",
  "a date of no calendar": "Xyz, 99 Foo 9999 99:99:99 GMT"
})) {
  add(
    `Retry-After with ${name} is ignored`,
    (_, count) => (count === 1 ? ok({}, 503, { "retry-after": after }) : ok(done)),
    isRead,
    { retries: 3 }
  )
}
add(
  "Retry-After of 30 digits ends a read at once",
  ok({}, 503, { "retry-after": "9".repeat(30) }),
  async ({ agent, note, server }) => {
    isTransport(note(await rejected(agent.runs.get("r-1"))), "UnexpectedStatus")
    assert.equal(server.seen.length, 1)
  },
  { retries: 3 }
)

// ids

for (const id of ["..", ".", "a/b", "a?b#c", "%2e%2e", "ä ö", "a\nb", "x".repeat(4000), "__proto__"]) {
  add(
    `the id ${JSON.stringify(id).slice(0, 20)} stays one segment of the path, or is refused`,
    ok(done),
    async ({ agent, note, server }) => {
      const [result] = await Promise.allSettled([agent.runs.get(id)])
      if (result.status === "rejected") {
        note(result.reason)
        assert.deepEqual(server.seen, [])
      } else {
        const [, , , , segment, ...more] = server.seen[0].path.split("/")
        assert.deepEqual([decodeURIComponent(segment), more], [id, []])
      }
    }
  )
}
add("an empty id asks for nothing else", ok({ items: [] }), async ({ agent, note, server }) => {
  const [result] = await Promise.allSettled([agent.runs.get("")])
  if (result.status === "rejected") note(result.reason)
  assert.ok(!server.seen.some(({ path }) => path === "/api/v4/runs" || path === "/api/v4/runs/"), sent(server).join())
})
add(
  "a browser whose id climbs out of its path is stopped by that id",
  ({ method }) => (method === "POST" ? ok({ ...browser, id: "../runs/r-1" }, 201) : ok({})),
  async ({ agent, server }) => {
    await agent.browsers.use({}, () => 1)
    assert.deepEqual(sent(server), ["POST /browsers", "PATCH /browsers/..%2Fruns%2Fr-1"])
  }
)
add(
  "a browser whose id is a number is stopped",
  ({ method }) => (method === "POST" ? ok({ ...browser, id: 42 }, 201) : ok({})),
  async ({ agent, server }) => {
    await agent.browsers.use({}, () => 1)
    assert.deepEqual(sent(server), ["POST /browsers", "PATCH /browsers/42"])
  }
)

const circular = {}
circular.self = circular
for (const id of [10n, Symbol("r"), undefined, circular]) {
  add(
    `the id ${typeof id} is refused before anything is sent`,
    ok(done),
    isInvalid(
      (agent) => agent.runs.get(id),
      (agent) => agent.runs.untilTerminal(id)
    )
  )
}
for (const path of ["/a\n/../../../x", "/.\t./x", "/..#x", "/a#b", "/runs/%2E./x"]) {
  add(
    `the path ${JSON.stringify(path)} of a raw request is refused`,
    ok([]),
    isInvalid((agent) => agent.request("GET", path, { query: { limit: 1 } }))
  )
}
add("a query is added to that of a path", ok([]), async ({ agent, server }) => {
  await agent.request("GET", "/runs?limit=1", { query: { status: "a&b", after: null, before: undefined } })
  assert.deepEqual(sent(server), ["GET /runs?limit=1&status=a%26b"])
})
for (const [method, body] of [["TRACE"], ["get"], ["PO ST"], [undefined], ["GET", { a: 1 }]]) {
  add(
    `a raw ${method} ${body === undefined ? "" : "with a body "}is refused`,
    ok([]),
    isInvalid((agent) => agent.request(method, "/runs", { body }))
  )
}

// creates

const unclear = {
  null: text("null", 201),
  "an empty record": ok({}, 201),
  "an empty id": ok({ id: "" }, 201),
  "a list": text("[]", 201),
  "a cut connection": "cut",
  503: ok({}, 503, { "retry-after": "0" }),
  303: { status: 303, headers: { location: "/runs/r-1" } }
}
for (const [name, answer] of Object.entries(unclear)) {
  add(
    `a create answered by ${name} is sent once, and may have been made`,
    answer,
    async ({ agent, note, server }) => {
      const error = note(await rejected(agent.runs.create({ task: "t" }, { idempotencyKey: "order-7" })))
      assert.equal(error.name, "CreateOutcomeUnknown", inspect(error))
      assert.deepEqual([error.key, server.seen.length], ["order-7", 1])
    },
    { retries: 4 }
  )
}
add(
  "a create at a service that honours keys is tried again under its key",
  (_, count) => (count < 3 ? "cut" : ok(made, 201)),
  async ({ agent, server }) => {
    assert.equal((await agent.runs.create({ task: "t" })).id, "r-1")
    assert.equal(new Set(server.seen.map(({ headers }) => headers["idempotency-key"])).size, 1)
    assert.equal(server.seen.length, 3)
  },
  { retries: 4, target: { idempotency: "honoured" } }
)
for (const bad of ["a\nb", "", "x".repeat(300), "ключ"]) {
  add(
    `the idempotency key ${JSON.stringify(bad).slice(0, 12)} is refused before anything is sent`,
    ok(made, 201),
    sendsNothing((agent) => agent.runs.create({ task: "t" }, { idempotencyKey: bad }))
  )
}
for (const [name, headers] of Object.entries({
  "the key's": { "X-Service-API-Key": "other" },
  "an idempotency key's": { "idempotency-key": "x" },
  "one with a line break": { "x-team": "a\r\nx: b" }
})) {
  add(
    `a header of a call that is ${name} is refused`,
    ok(made, 201),
    sendsNothing((agent) => agent.runs.create({ task: "t" }, { headers }))
  )
}
for (const key of [null, true, Number.NaN, Symbol.iterator]) {
  add(`an idempotency key that is ${String(key)} is refused before anything is sent`, ok(made, 201), async (given) => {
    const { agent, note, server } = given
    const options = { idempotencyKey: key }
    isTransport(note(await rejected(agent.runs.create({ task: "t" }, options))), "InvalidRequest")
    isTransport(note(await rejected(agent.request("POST", "/runs", options))), "InvalidRequest")
    assert.deepEqual(server.seen, [])
  })
}
for (const requestId of ["a\r\nx-team: b", "", "ключ", "x".repeat(300)]) {
  add(
    `the request id ${JSON.stringify(requestId).slice(0, 12)} is refused before anything is sent`,
    ok(made, 201),
    isInvalid(
      (agent) => agent.runs.get("r-1", { requestId }),
      (agent) => agent.runs.create({ task: "t" }, { requestId })
    ),
    { retries: 2 }
  )
}
for (const [name, headers] of Object.entries({
  "a Headers": new Headers({ "x-team": "a" }),
  "a list": [["x-team", "a"]],
  "a request id's": { "X-Request-Id": "a" },
  "a length's": { "Content-Length": "5" },
  "a coding's": { "transfer-encoding": "chunked" },
  "an upgrade's": { upgrade: "websocket" },
  "a symbol's": { "x-team": Symbol("a") }
})) {
  add(
    `headers of a call that are ${name} are refused, and not overlooked`,
    ok(made, 201),
    isInvalid((agent) => agent.runs.create({ task: "t" }, { headers }))
  )
}
add("headers of a call without a value are not sent", ok(done), async ({ agent, server }) => {
  await agent.runs.get("r-1", { headers: { "x-team": undefined, "x-case": null, "x-count": 7 } })
  await agent.runs.get("r-1", { headers: null, requestId: null })
  const sent = server.seen.map(({ headers }) => [headers["x-team"], headers["x-case"], headers["x-count"]])
  assert.deepEqual(sent, [
    [undefined, undefined, "7"],
    [undefined, undefined, undefined]
  ])
})
add("what is changed after a call was sent as it was", ok(made, 201), async ({ agent, server }) => {
  const [input, options] = [{ task: "first" }, { idempotencyKey: "k-1", requestId: "q-1" }]
  const first = agent.runs.create(input, options)
  Object.assign(input, { task: "second" })
  Object.assign(options, { idempotencyKey: "k-2", requestId: "q-2" })
  await Promise.all([first, agent.runs.create(input, options)])
  const sent = server.seen.map(({ body, headers }) => [
    JSON.parse(body).task,
    headers["idempotency-key"],
    headers["x-request-id"]
  ])
  assert.deepEqual(sent.toSorted(), [
    ["first", "k-1", "q-1"],
    ["second", "k-2", "q-2"]
  ])
})
add("an input that cannot be read is a rejection", ok(made, 201), async ({ agent, note, server }) => {
  const input = {
    get task() {
      throw new Error("gone")
    }
  }
  assert.equal(note(await rejected(agent.runs.create(input))).message, "gone")
  assert.deepEqual(server.seen, [])
})
add("a task of lone surrogates, quotes and nulls arrives as JSON", ok(made, 201), async ({ agent, server }) => {
  const task = '\ud800"\u0000\u2028'
  await agent.runs.create({ task })
  assert.equal(JSON.parse(server.seen[0].body).task, task)
})
add(
  "a ledger that throws keeps a create from being sent",
  ok(made, 201),
  sendsNothing((agent) => agent.runs.create({ task: "t" })),
  {
    ledger: () => {
      throw new Error("disk full")
    }
  }
)
add(
  "a ledger that fails after the answer does not lose the run",
  ok(made, 201),
  async ({ agent }) => {
    assert.equal((await agent.runs.create({ task: "t" })).id, "r-1")
  },
  {
    ledger: async ({ _tag }) => {
      if (_tag === "opened") throw new Error("disk full")
    }
  }
)

// waits

const poll =
  (...statuses) =>
  ({ method, path }, _, state) => {
    if (method === "POST") return ok(made, 201)
    if (!path.endsWith("/status")) return ok(done)
    state.polls = (state.polls ?? 0) + 1
    return ok({ id: "r-1", status: statuses[Math.min(state.polls, statuses.length) - 1] })
  }
const soon = { first: 0, every: 5 }
add("a status that no one knows is waited for", poll("paused", "pondering", "completed"), async ({ agent }) => {
  assert.equal((await agent.runs.untilTerminal("r-1", soon)).result, 1)
})
add("a status in capitals is not terminal", poll("COMPLETED"), async ({ agent, note }) => {
  const error = note(await rejected(agent.runs.untilTerminal("r-1", { ...soon, timeout: 2000 })))
  assert.deepEqual([error.name, error.lastStatus], ["WaitTimeoutError", "COMPLETED"])
})
add(
  "a copy of the run that is behind its status is read again",
  ({ path }, count) =>
    path.endsWith("/status")
      ? ok({ id: "r-1", status: "completed" })
      : ok(count === 2 ? { id: "r-1", status: "running" } : done),
  async ({ agent }) => {
    assert.equal((await agent.runs.untilTerminal("r-1", soon)).result, 1)
  }
)
add("50 waiters are one poll loop", poll("running", "completed"), async ({ agent, server }) => {
  const runs = await Promise.all(Array.from({ length: 50 }, () => agent.runs.untilTerminal("r-1", soon)))
  assert.equal(
    runs.every(({ result }) => result === 1),
    true
  )
  assert.ok(server.seen.length <= 4, `${server.seen.length}`)
})
add(
  "of two waiters one is aborted, the other one ends",
  (request, count, state) => poll(state.isOver ? "completed" : "running")(request, count, state),
  async ({ agent, note, server }) => {
    const controller = new AbortController()
    const first = rejected(agent.runs.untilTerminal("r-1", { ...soon, signal: controller.signal }))
    const second = agent.runs.untilTerminal("r-1", soon)
    while (server.seen.length < 2) await sleep(5)
    controller.abort(new Error("enough"))
    assert.equal(note(await first).message, "enough")
    server.state.isOver = true
    assert.equal((await second).result, 1)
  }
)
add(
  "polls carry the request id of a waiter that has not left",
  (request, count, state) => poll(state.isOver ? "completed" : "running")(request, count, state),
  async ({ agent, server }) => {
    const controller = new AbortController()
    const first = rejected(agent.runs.untilTerminal("r-1", { ...soon, requestId: "first", signal: controller.signal }))
    const polls = async (count) => {
      const before = server.seen.length
      while (server.seen.length < before + count) await sleep(5)
    }
    await polls(3)
    const second = agent.runs.untilTerminal("r-1", { ...soon, requestId: "second" })
    await polls(1)
    controller.abort()
    await first
    // the next poll may have left before the abort
    await polls(1)
    const left = server.seen.length
    await polls(3)
    const ids = server.seen.slice(left).map(({ headers }) => headers["x-request-id"])
    assert.deepEqual([server.seen[0].headers["x-request-id"], ...new Set(ids)], ["first", "second"])
    server.state.isOver = true
    await second
  }
)
add("leaving a loop over a watch ends its polls", poll("running"), async ({ agent, server }) => {
  for await (const { status } of agent.runs.watch("r-1", soon)) {
    assert.equal(status, "running")
    break
  }
  const polls = () => sent(server).filter((line) => line.endsWith("/status")).length
  const before = polls()
  // on a machine that is slow, polls and reads are slow alike
  for (let read = 0; read < 20; read++) {
    await agent.runs.get("r-2")
    await sleep(5)
  }
  assert.ok(polls() <= before + 1, sent(server).join())
})
for (const [name, answers, onTheWire] of [
  // one poll may have left before the client closes
  ["between polls", poll("running"), 1],
  ["while a poll has no answer", () => undefined, 0]
]) {
  add(`closing ends a wait ${name}, and nothing more is sent`, answers, async ({ agent, note, server }) => {
    const waiting = rejected(agent.runs.untilTerminal("r-1", soon))
    while (server.seen.length === 0) await sleep(5)
    await agent.close()
    const before = server.seen.length
    note(await waiting)
    await sleep(50)
    assert.ok(server.seen.length <= before + onTheWire, sent(server).join())
  })
}
for (const [name, options] of Object.entries({
  "a negative time": { timeout: -1 },
  NaN: { timeout: Number.NaN },
  "no time": { timeout: "soon" },
  "a pace that is NaN": { every: Number.NaN },
  "a signal that is none": { signal: {} }
})) {
  add(
    `a wait with ${name} is refused before anything is sent`,
    poll("completed"),
    sendsNothing((agent) => agent.runs.createAndWait({ task: "t" }, options))
  )
}
for (const [name, cancel] of Object.entries({
  throws: () => {
    throw new Error("no")
  },
  rejects: async () => {
    throw new Error("no")
  }
})) {
  add(`a cancel that ${name} does not hide the deadline`, poll("running"), async ({ agent, log, note }) => {
    const error = note(await rejected(agent.runs.createAndWait({ task: "t" }, { ...soon, timeout: 40, cancel })))
    assert.equal(error.name, "WaitTimeoutError")
    assert.ok(
      log.some((line) => line.includes("r-1")),
      log.join()
    )
  })
}
add(
  "a status that echoes the key does not show it",
  ({ headers }) => ok({ id: "r-1", status: `odd ${headers["x-service-api-key"]}` }),
  async ({ agent, note }) => {
    const error = note(await rejected(agent.runs.untilTerminal("r-1", { ...soon, timeout: 40 })))
    assert.equal(error.name, "WaitTimeoutError")
  }
)
const coloured = "a\u001b[31m\nb\u009b2J"
add(
  "control characters of a status do not reach the message of a deadline",
  ok({ id: "r-1", status: `${coloured}${"x".repeat(100_000)}` }),
  async ({ agent, note }) => {
    const { message } = note(await rejected(agent.runs.untilTerminal("r-1", { ...soon, timeout: 0 })))
    assert.doesNotMatch(message, /\p{Cc}/u)
    assert.ok(message.length < 1000, `${message.length}`)
  }
)
add(
  "control characters of a failed run do not reach the message of its error",
  ok({ id: "r-1", status: "failed", error: `${coloured}${"x".repeat(100_000)}` }),
  async ({ agent, note }) => {
    const result = { "~standard": { version: 1, vendor: "x", validate: (value) => ({ value }) } }
    const error = note(await rejected(agent.runs.untilTerminal("r-1", { ...soon, result })))
    assert.equal(error.name, "RunFailedError")
    assert.doesNotMatch(error.message, /\p{Cc}/u)
    assert.ok(error.message.length < 2000, `${error.message.length}`)
    assert.ok(error.run.error.startsWith(coloured))
  }
)
add(
  "control characters of a result do not reach the message of a mismatch",
  ok({ ...done, result: coloured }),
  async ({ agent, note }) => {
    const validate = (value) => ({ issues: [{ message: `unknown ${value}` }] })
    const result = { "~standard": { version: 1, vendor: "x", validate } }
    const error = note(await rejected(agent.runs.untilTerminal("r-1", { ...soon, result })))
    assert.equal(error.name, "ResultMismatchError")
    assert.doesNotMatch(error.message, /\p{Cc}/u)
  }
)
add(
  "a failed run whose error echoes the key does not show it",
  ({ headers }) => ok({ id: "r-1", status: "failed", error: `bad key ${headers["x-service-api-key"]}` }),
  async ({ agent, note }) => {
    const result = { "~standard": { version: 1, vendor: "x", validate: (value) => ({ value }) } }
    const error = note(await rejected(agent.runs.untilTerminal("r-1", { ...soon, result })), { message: true })
    assert.equal(error.name, "RunFailedError")
  }
)

add(
  "a result that echoes the key does not have it, in whatever form",
  ({ headers }) => {
    const echoed = headers["x-service-api-key"]
    const codes = Array.from(echoed, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    return text(`{"id":"r-1","status":"completed","result":["a ${echoed}","${codes.join("")}"],"${echoed}":1}`)
  },
  async ({ agent }) => {
    const run = await agent.runs.get("r-1")
    assert.deepEqual(run.result, ["a <redacted>", "<redacted>"])
    assert.deepEqual(run.raw, { "<redacted>": 1 })
  }
)
add(
  "the address of a browser keeps the key that it needs",
  ({ headers, method }) =>
    method === "POST"
      ? ok({ ...browser, cdpUrl: `wss://a.example/x?apiKey=${encodeURIComponent(headers["x-service-api-key"])}` }, 201)
      : ok({}),
  async ({ agent }) => {
    const { cdpUrl } = await agent.browsers.create()
    assert.equal(new URL(cdpUrl).searchParams.get("apiKey"), key)
  }
)
add(
  "a megabyte of nothing but keys is read in less than 10 seconds of CPU time",
  ({ headers }) => ok({ ...done, result: headers["x-service-api-key"].repeat(60_000) }),
  async ({ agent }) => {
    const began = process.cpuUsage()
    assert.match((await agent.runs.get("r-1")).result, /^(?:<redacted>)+$/u)
    const { system, user } = process.cpuUsage(began)
    assert.ok(system + user < 10e6, `${(system + user) / 1e6} s`)
  },
  {},
  true
)

// callbacks and the life of a client

const bad = () => {
  throw new Error("a hook that throws")
}
add(
  "hooks and a log that throw or reject lose no answer",
  poll("running", "completed"),
  async ({ agent }) => {
    assert.equal((await agent.runs.createAndWait({ task: "t" }, soon)).result, 1)
  },
  {
    hooks: { onRequest: bad, onResponse: async () => bad(), onRetry: bad, onPoll: async () => bad() },
    log: async () => bad()
  }
)
add("a signal that is aborted already sends nothing", ok(done), async ({ agent, note, server }) => {
  for (const reason of [new Error("enough"), undefined, null, 0]) {
    const [result] = await Promise.allSettled([agent.runs.get("r-1", { signal: AbortSignal.abort(reason) })])
    assert.equal(result.status, "rejected")
    note(result.reason)
  }
  assert.deepEqual(server.seen, [])
})
add("an abort after the end does nothing", ok(done), async ({ agent }) => {
  const controller = new AbortController()
  const run = await agent.runs.get("r-1", { signal: controller.signal })
  assert.deepEqual(getEventListeners(controller.signal, "abort"), [])
  controller.abort()
  assert.equal(run.result, 1)
})
add("a client can be closed twice, and refuses calls afterwards", ok(done), async ({ agent, note, server }) => {
  await Promise.all([agent.close(), agent.close()])
  assert.equal(note(await rejected(agent.runs.get("r-1"))).name, "WebAgentClosedError")
  assert.deepEqual(server.seen, [])
})
add(
  "withResponse of a call that fails is the call's error",
  ok({ detail: "Run not found" }, 404),
  async ({ agent, note }) => {
    const call = agent.runs.get("r-1")
    assert.equal(note(await rejected(call.withResponse())), await rejected(call))
  }
)
add("a rejection that no one awaits ends no process", ok({}, 500), async ({ agent }) => {
  agent.runs.get("r-1")
  agent.runs.get("r-1").withResponse()
  agent.runs.create({ task: "t" })
  await sleep(100)
})

const endless = new Error("endless")
endless.cause = endless
const unreadable = new (class extends Error {
  get code() {
    throw new Error("no")
  }
})()
for (const [name, thrown] of Object.entries({
  "an error that is its own cause": endless,
  "an error that cannot be read": unreadable,
  nothing: undefined,
  "a record without a prototype": Object.create(null)
})) {
  const fetch = async () => {
    throw thrown
  }
  add(
    `a fetch that throws ${name} is a TransportError`,
    ok(done),
    async ({ agent, note, server }) => {
      isTransport(note(await rejected(agent.runs.get("r-1"))), "ConnectionFailed")
      assert.equal(note(await rejected(agent.runs.create({ task: "t" }))).name, "CreateOutcomeUnknown")
      assert.deepEqual(server.seen, [])
    },
    { fetch, httpClient: undefined }
  )
}
for (const [name, script, call] of [
  ["a 404", ok({ detail: "Run not found" }, 404), (agent) => agent.runs.get("r-1")],
  ["a 500", ok({}, 500), (agent) => agent.runs.get("r-1")],
  ["a cut create", "cut", (agent) => agent.runs.create({ task: "t" })],
  ["a deadline", poll("running"), (agent) => agent.runs.untilTerminal("r-1", { ...soon, timeout: 0 })]
]) {
  add(
    `the error of ${name} keeps its message in a clone, in JSON and in a wrapper`,
    script,
    async ({ agent, note }) => {
      const error = note(await rejected(call(agent)))
      const { message } = error
      assert.ok(message.length > 10)
      assert.equal(structuredClone(error).message, message)
      assert.equal(JSON.parse(JSON.stringify(error)).message, message)
      assert.ok(inspect(new Error("outer", { cause: error })).includes(message))
      error.message = `while it was read: ${message}`
      assert.equal(error.message, `while it was read: ${message}`)
    }
  )
}

// more codings, lengths and answers below HTTP

for (const [coding, encode] of [
  ["br", brotliCompressSync],
  ["deflate", deflateSync],
  ["gzip, br", (body) => brotliCompressSync(gzipSync(body))]
]) {
  add(`a body in ${coding} that no one asked for is read`, coded(coding, encode(JSON.stringify(done))), isRead)
}
add(
  "150 MB in a few bytes of brotli are given up, once",
  {
    status: 200,
    headers: { "content-encoding": "br" },
    body: brotliCompressSync(Buffer.alloc(150 * 1024 * 1024), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })
  },
  async ({ agent, note, server }) => {
    isTransport(note(await rejected(agent.runs.get("r-1"))), "AnswerTooLarge")
    assert.equal(server.seen.length, 1)
  },
  { retries: 2 }
)
add(
  "100 Continue that no one asked for comes before the answer, or is a TransportError",
  { ...ok(done), before: ["HTTP/1.1 100 Continue\r\n\r\n"] },
  async ({ agent, note }) => {
    // undici ends such a connection
    const [result] = await Promise.allSettled([agent.runs.get("r-1")])
    if (result.status === "fulfilled") assert.equal(result.value.result, 1)
    else isTransport(note(result.reason), "ConnectionFailed")
  }
)
add(
  "204 with a body is a TransportError, and its body is not the next answer",
  (_, count) =>
    count === 1
      ? raw(
          `HTTP/1.1 204 No Content\r\nContent-Length: 44\r\n\r\n${JSON.stringify({ ...done, id: "stranger" })}`,
          false
        )
      : ok({ ...done, id: "r-2" }),
  async ({ agent, note }) => {
    isTransport(note(await rejected(agent.runs.get("r-1"))), "UndecodableAnswer", "ConnectionFailed")
    assert.equal((await agent.runs.get("r-2", { retries: 2 })).id, "r-2")
  }
)
add(
  "a body longer than its length is cut there, and the rest is no answer",
  (_, count) =>
    count === 1
      ? raw(
          `HTTP/1.1 200 OK\r\nContent-Length: ${JSON.stringify(done).length}\r\n\r\n${JSON.stringify(done)}{"id":"stranger"}`,
          false
        )
      : ok({ ...done, id: "r-2" }),
  async ({ agent }) => {
    assert.equal((await agent.runs.get("r-1")).id, "r-1")
    assert.equal((await agent.runs.get("r-2")).id, "r-2")
  },
  { retries: 2 }
)
add(
  "chunks without an end are ended by the body's timeout",
  raw(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`, false),
  async ({ agent, note }) => {
    const error = note(await rejected(agent.runs.get("r-1")))
    isTransport(error, "Timeout")
    assert.deepEqual([error.reason.phase, error.reason.limit], ["body", "body"])
  },
  { timeouts: { body: 50, total: 120_000, connect: 120_000 } }
)
add(
  "a create whose body never ends may have been made",
  raw(`HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`, false),
  async ({ agent, note, server }) => {
    assert.equal(note(await rejected(agent.runs.create({ task: "t" }))).name, "CreateOutcomeUnknown")
    assert.equal(server.seen.length, 1)
  },
  { timeouts: { body: 50, total: 120_000, connect: 120_000 }, retries: 3 }
)
add(
  "a connection that is reset under the second request: a read is tried again, a create is sent once",
  ({ method }, count) => (count === 1 ? ok(done) : count === 2 || method === "POST" ? "cut" : ok(done)),
  async ({ agent, note, server }) => {
    await agent.runs.get("r-1")
    assert.equal((await agent.runs.get("r-1")).result, 1)
    assert.equal(note(await rejected(agent.runs.create({ task: "t" }))).name, "CreateOutcomeUnknown")
    assert.deepEqual(sent(server), ["GET /runs/r-1", "GET /runs/r-1", "GET /runs/r-1", "POST /runs"])
  },
  { retries: 2 }
)
add(
  "redirects in a circle are one request",
  ({ path }) => ({ status: 302, headers: { location: path } }),
  async ({ agent, note, server }) => {
    isTransport(note(await rejected(agent.runs.get("r-1"))), "UnexpectedStatus")
    isTransport(note(await rejected(agent.runs.create({ task: "t" }))), "UnexpectedStatus")
    assert.equal(server.seen.length, 2)
  },
  { retries: 3 }
)
add(
  "401 with WWW-Authenticate is asked once",
  ok({ detail: "no" }, 401, { "www-authenticate": 'Basic realm="x"' }),
  async ({ agent, note, server }) => {
    assert.equal(note(await rejected(agent.runs.get("r-1"))).name, "UnauthorizedError")
    assert.equal(server.seen.length, 1)
  },
  { retries: 3 }
)
add("Set-Cookie is not sent back", ok(done, 200, { "set-cookie": "a=b" }), async ({ agent, server }) => {
  await agent.runs.get("r-1")
  await agent.runs.get("r-1")
  assert.equal(server.seen[1].headers.cookie, undefined)
})
add(
  "an abort during the pause before a retry ends a call at once",
  ok({}, 503, { "retry-after": "20" }),
  async ({ agent, note, server, called }) => {
    const controller = new AbortController()
    const call = rejected(agent.runs.get("r-1", { signal: controller.signal }))
    await called
    controller.abort(new Error("enough"))
    assert.equal(note(await call).message, "enough")
    assert.equal(server.seen.length, 1)
  },
  untilCalled((onResponse) => ({ retries: 3, timeouts: { total: 120_000 }, hooks: { onResponse } }))
)
add(
  "a close during the pause before a retry ends a call at once",
  ok({}, 503, { "retry-after": "20" }),
  async ({ agent, note, server, called }) => {
    const call = rejected(agent.runs.get("r-1"))
    await called
    await agent.close()
    assert.equal(note(await call).name, "WebAgentClosedError")
    assert.equal(server.seen.length, 1)
  },
  untilCalled((onResponse) => ({ retries: 3, timeouts: { total: 120_000 }, hooks: { onResponse } }))
)
add(
  "a close inside a hook of a create loses no run that was made",
  ok(made, 201),
  async ({ agent, close, log, note, server }) => {
    close.agent = agent
    const call = Promise.allSettled([agent.runs.create({ task: "t" })])
    await close.closed
    const [result] = await Promise.race([call, new Promise((resolve) => setImmediate(resolve, ["it goes on"]))])
    assert.notEqual(result, "it goes on")
    if (result.status === "fulfilled") return assert.equal(result.value.id, "r-1")
    assert.equal(note(result.reason).name, "WebAgentClosedError")
    assert.ok(
      server.seen.length === 0 || log.some((line) => /run (?:r-1|may have been created)/u.test(line)),
      log.join()
    )
  },
  () => {
    const close = {}
    close.closed = new Promise((resolve) => (close.end = resolve))
    return { close, options: { hooks: { onRequest: () => close.end(close.agent.close()) } } }
  }
)
add(
  "hooks that never return, and hooks that call the client, lose no answer",
  ok(done),
  async ({ agent, close }) => {
    close.agent = agent
    assert.equal((await agent.runs.get("r-1")).result, 1)
    assert.equal((await close.again).result, 1)
  },
  () => {
    const close = {}
    return {
      close,
      options: {
        hooks: {
          onRequest: () => new Promise(() => {}),
          onResponse: () => {
            close.again ??= close.agent.runs.get("r-2")
          }
        }
      }
    }
  }
)
add(
  "a hook that changes its event changes no request",
  ok(done),
  async ({ agent, server }) => {
    await agent.runs.get("r-1")
    assert.deepEqual(sent(server), ["GET /runs/r-1"])
    assert.equal(server.seen[0].headers["x-request-id"] === "x", false)
  },
  {
    hooks: {
      onRequest: (event) => {
        try {
          Object.assign(event, { url: "http://127.0.0.1:9/", requestId: "x", method: "DELETE" })
        } catch {}
      }
    }
  }
)
add(
  "a clock that jumps backwards and forwards ends no wait early",
  (request, count, state) => poll("running", "running", "completed")(request, count, state),
  async ({ agent }) => {
    const { now } = Date
    let jump = -3_600_000
    Date.now = () => now() + (jump = -jump)
    try {
      assert.equal((await agent.runs.createAndWait({ task: "t" }, { ...soon, timeout: 120_000 })).result, 1)
    } finally {
      Date.now = now
    }
  },
  {},
  true
)
add(
  "withResponse after the call has ended gives the same answer",
  ok(done, 200, { "x-served-by": "a" }),
  async ({ agent }) => {
    const call = agent.runs.get("r-1")
    const run = await call
    const [first, second] = await Promise.all([call.withResponse(), call.withResponse()])
    assert.deepEqual([first.data, second.data, first.response.status], [run, run, 200])
    assert.equal(first.response.headers["x-served-by"] ?? first.response.headers.get?.("x-served-by"), "a")
  }
)
add(
  "keys that differ in case, and empty names, stay in raw",
  text('{"id":"r-1","status":"completed","":1,"ID":2,"Status":"x"}'),
  async ({ agent }) => {
    assert.deepEqual((await agent.runs.get("r-1")).raw, { "": 1, ID: 2, Status: "x" })
  }
)
add(
  "a list of 100,000 unknown fields is read",
  text(`{"id":"r-1","status":"completed",${Array.from({ length: 100_000 }, (_, n) => `"f${n}":${n}`).join(",")}}`),
  async ({ agent }) => {
    assert.equal(Object.keys((await agent.runs.get("r-1")).raw).length, 100_000)
  }
)
add("a host in another form is the same host", ok(done), async ({ server }) => {
  const { port } = new URL(server.address)
  for (const host of ["0x7f.1", "2130706433", "\uff11\uff12\uff17.0.0.1"]) {
    const agent = new WebAgent({ baseUrl: `http://${host}:${port}`, apiKey: key, httpClient: undici })
    await agent.runs.get("r-1")
    await agent.close()
  }
  assert.deepEqual(sent(server), ["GET /runs/r-1", "GET /runs/r-1", "GET /runs/r-1"])
})
add(
  "a proxy that is named and not asked for is not used",
  ok(done),
  async ({ agent }) => {
    const { HTTP_PROXY } = process.env
    process.env.HTTP_PROXY = "http://127.0.0.1:9"
    try {
      assert.equal((await agent.runs.get("r-1")).result, 1)
    } finally {
      if (HTTP_PROXY === undefined) delete process.env.HTTP_PROXY
      else process.env.HTTP_PROXY = HTTP_PROXY
    }
  },
  {},
  true
)
add("user names, queries and other schemes in an address are refused, and not shown", ok(done), async ({ server }) => {
  for (const baseUrl of [
    `http://me:${key}@127.0.0.1`,
    `http://127.0.0.1/?key=${key}`,
    `http://127.0.0.1/#${key}`,
    `ws://${key}@127.0.0.1`,
    `file:///${key}`.slice(0, 8),
    "http://",
    "http://[::1",
    "//127.0.0.1"
  ]) {
    try {
      assert.fail(inspect(new WebAgent({ baseUrl, apiKey: key })))
    } catch (error) {
      assert.equal(error.name, "ClientConfigError", baseUrl)
      assert.ok(!error.message.includes(key), error.message)
    }
  }
  assert.deepEqual(server.seen, [])
})
add("a path below the host is kept, and a path of a version is not doubled", ok(done), async ({ server }) => {
  for (const [below, path] of [
    ["/a%2Fb/", "/a%2Fb/api/v4/runs/r-1"],
    ["/api/v2", "/api/v4/runs/r-1"],
    ["/api/v4/api/v4", "/api/v4/api/v4/runs/r-1"]
  ]) {
    const agent = new WebAgent({ baseUrl: server.address + below, apiKey: key, httpClient: undici })
    await agent.runs.get("r-1")
    await agent.close()
    assert.equal(server.seen.at(-1).path, path)
  }
})
add(
  "a create whose signal is aborted by its own ledger is not sent",
  ok(made, 201),
  async ({ agent, controller, note, server }) => {
    assert.equal(
      note(await rejected(agent.runs.create({ task: "t" }, { signal: controller.signal }))).message,
      "enough"
    )
    await agent.close()
    assert.deepEqual(server.seen, [])
  },
  () => {
    const controller = new AbortController()
    return {
      controller,
      options: {
        ledger: async ({ _tag }) => {
          if (_tag === "opening") controller.abort(new Error("enough"))
        }
      }
    }
  }
)
add(
  "a close while a ledger has not answered ends",
  ok(made, 201),
  async ({ agent, note, server, called }) => {
    const call = rejected(agent.runs.create({ task: "t" }))
    await called
    await agent.close()
    assert.equal(note(await call).name, "WebAgentClosedError")
    assert.deepEqual(server.seen, [])
  },
  untilCalled((call) => ({
    ledger: () => {
      call()
      return new Promise(() => {})
    }
  }))
)
add(
  "a signal that two calls share ends both, and leaves no listener",
  () => undefined,
  async ({ agent, note, server }) => {
    const controller = new AbortController()
    const calls = [
      agent.runs.get("r-1", controller),
      agent.runs.get("r-2", controller),
      agent.runs.untilTerminal("r-3", controller)
    ].map(rejected)
    while (server.seen.length < 3) await sleep(5)
    controller.abort(new Error("enough"))
    for (const call of calls) assert.equal(note(await call).message, "enough")
    assert.deepEqual(getEventListeners(controller.signal, "abort"), [])
  }
)

const length = JSON.stringify(done).length
const trailers = "X-Request-Id: other\r\nContent-Encoding: gzip\r\n"
for (const [name, answer] of Object.entries({
  "JSON with the content type of a page is read": text(JSON.stringify(done), 200, { "content-type": "text/html" }),
  "a body in gzip that no one asked for is read": coded("gzip", gzipSync(JSON.stringify(done))),
  "an unknown coding is left as it is": coded("x-none", JSON.stringify(done)),
  "a body without a length is read to the end of its connection": raw(`HTTP/1.0 200 OK\r\n\r\n${JSON.stringify(done)}`),
  "early hints come before the answer": { ...ok(done), before: ["HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"] },
  "two members of gzip are one body": coded(
    "gzip",
    Buffer.concat([gzipSync('{"id":"r-1",'), gzipSync('"status":"completed","result":1}')])
  ),
  "trailers after a body change nothing": raw(
    `${head}Transfer-Encoding: chunked\r\nTrailer: X-Request-Id\r\n\r\n${length.toString(16)}\r\n${JSON.stringify(done)}\r\n0\r\n${trailers}\r\n`
  ),
  "a byte order mark before JSON is read": text(`\uFEFF${JSON.stringify(done)}`),
  "any 2xx is a success": ok(done, 299)
}))
  add(name, answer, isRead)

for (const [name, answer] of Object.entries({
  "a body shorter than its length": raw(`${head}Content-Length: 500\r\n\r\n{"id":`),
  "chunks that end early": raw(`${head}Transfer-Encoding: chunked\r\n\r\n20\r\n{"id":`),
  "100 kB of headers": raw(`${head}${`X-Pad: ${"y".repeat(1000)}\r\n`.repeat(100)}\r\n`),
  "no HTTP at all": raw("SSH-2.0-OpenSSH_9.6\r\n"),
  "a status that is no number": raw("HTTP/1.1 abc OK\r\n\r\n")
}))
  add(`${name} is a TransportError`, answer, failsAs("ConnectionFailed"))

for (const [name, answer] of Object.entries({
  "a body that says gzip and is not": coded("gzip", JSON.stringify(done)),
  "both a length and chunks": raw(`${head}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`),
  "gzip that is cut": coded("gzip", gzipSync(JSON.stringify({ ...done, pad: "x".repeat(10_000) })).subarray(0, 60)),
  "two lengths that differ": raw(`${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `),
  "a length below zero": raw(`${head}Content-Length: -1\r\n\r\n{}`)
}))
  add(`${name} is a TransportError`, answer, failsAs("ConnectionFailed", "UndecodableAnswer"))

for (const [name, answer] of Object.entries({
  "a redirect to no address": { status: 302, headers: { location: "http://[" } },
  304: { status: 304, headers: {} }
}))
  add(`${name} is a TransportError`, answer, failsAs("UnexpectedStatus"))
add(
  "101 Switching Protocols is a TransportError",
  raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
  failsAs("ConnectionFailed", "UnexpectedStatus")
)

const transports = { undici: { httpClient: undici }, fetch: { fetch: globalThis.fetch } }

/** A text as it was before JSON, a URL or HTML escaped it. */
const unescaped = (shown) =>
  shown
    .replaceAll(/%([0-9a-fA-F]{2})/gu, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll("&amp;", "&")
    .replaceAll("\\", "")

/** A case that hangs is named in the result. */
const limit_ms = 300_000

const run = async ({ name, options: given, script, test }, transport) => {
  // options with functions that a case listens to are made for each run
  const { options, ...extras } = typeof given === "function" ? given() : { options: given }
  const server = await startServer(script)
  const log = []
  const errors = []
  const agent = new WebAgent({
    baseUrl: server.address,
    apiKey: key,
    retries: 0,
    // a machine with much else to do may be slow, and a slow read would be tried again
    timeouts: { connect: 120_000, total: 120_000 },
    log: (level, message) => void log.push(`${level} ${message}`),
    ...transports[transport],
    ...options
  })
  const note = (error) => {
    errors.push(error)
    return error
  }
  try {
    const ended = test({ agent, log, note, server, ...extras }).then(() => true)
    assert.ok(await Promise.race([ended, sleep(limit_ms, false, { ref: false })]), `no end after ${limit_ms / 1000} s`)
    for (const error of errors) {
      for (const shown of [
        inspect(error, { depth: 9, showHidden: true }),
        String(error),
        JSON.stringify(error) ?? ""
      ]) {
        assert.ok(!unescaped(shown).includes(key), `the key is in an error: ${shown}`)
      }
    }
    assert.ok(!unescaped(log.join("\n")).includes(key), `the key is in the log: ${log.join("\n")}`)
    return undefined
  } catch (error) {
    return [`${name}, over ${transport}`, String(error?.message ?? error).slice(0, 400)]
  } finally {
    await agent.close()
    server.stop()
  }
}

// what a log that throws is told about
console.warn = () => undefined

const unhandled = []
process.on("unhandledRejection", (reason) => unhandled.push(["an unhandled rejection", String(reason)]))
process.on("uncaughtException", (error) => unhandled.push(["an uncaught exception", String(error)]))

const only = process.argv[2]
const failed = []
const names = Object.keys(transports)
const todo = cases
  .filter(({ name }) => only === undefined || name.includes(only))
  .flatMap((each) => names.map((transport) => [each, transport]))
const began = todo.length
const work = async (list) => {
  for (let next = list.shift(); next !== undefined; next = list.shift()) {
    const failure = await run(...next)
    if (failure !== undefined) failed.push(failure)
  }
}
const [alone, together] = [true, false].map((isAlone) => todo.filter(([each]) => each.isAlone === isAlone))
await Promise.all(Array.from({ length: 4 }, () => work(together)))
// the CPU time that these count is that of the process
await work(alone)
await sleep(50)
console.log(JSON.stringify({ cases: cases.length, runs: began, failed: [...failed, ...unhandled] }, null, 1))
