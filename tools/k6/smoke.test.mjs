// node --test tools/k6/smoke.test.mjs   (needs Go, or a k6 that build.mjs has built before)
import assert from "node:assert/strict"
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { after, describe, test as nodeTest } from "node:test"
import { fileURLToPath } from "node:url"
import { BuildK6Error, buildK6 } from "./build.mjs"

const load = fileURLToPath(new URL("../../packages/harness/load", import.meta.url))

const stall_ms = 4000

/**
 * As little of the service as runs and browsers need. `fail` may answer a request with a status of its own, or with
 * true for no answer at all. With `keys` it creates once a key. From the
 * request `stallAt` on it answers nothing for a while.
 */
async function scriptedService({ fail, firstStatus, keyHeader, keys, result, stallAt }) {
  const seen = { browsers: 0, stopped: 0, open: new Set(), requests: 0, polls: new Map(), messages: [] }
  seen.polledAt = new Map()
  const created = new Map()
  const ended = new Map()
  let goesOn_ms = 0
  const server = createServer((request, response) => {
    const answer = (status, body) =>
      setTimeout(
        () => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body)),
        Math.max(0, goesOn_ms - Date.now())
      )
    const [, id, rest] = /^\/api\/v4\/(?:runs|browsers|sessions)\/?([^/]*)\/?(.*)$/.exec(request.url) ?? []
    seen.firstAt ??= Date.now()
    if (seen.requests++ === stallAt) goesOn_ms = Date.now() + stall_ms
    let body = ""
    request.on("data", (data) => (body += data))
    request.on("end", () => {
      if (rest === "queue") seen.messages.push(JSON.parse(body))
      const key = request.headers[keyHeader]
      const status = key === "wak_test" ? fail?.(request, seen.requests) : 401
      if (status !== undefined && status !== true) return answer(status, { detail: "scripted" })
      if (request.method === "PATCH") {
        seen.stopped++
        // a browser that is stopped again says when it was first
        if (seen.open.delete(id)) ended.set(id, new Date().toISOString())
        return answer(200, { id, finishedAt: ended.get(id) })
      }
      if (request.url === "/api/v4/browsers") {
        const name = keys ? request.headers["idempotency-key"] : undefined
        const known = name === undefined ? undefined : created.get(name)
        const browser = known ?? { id: `b${seen.browsers++}`, cdpUrl: "ws://127.0.0.1:1" }
        if (known === undefined) {
          seen.open.add(browser.id)
          if (name !== undefined) created.set(name, browser)
        } else {
          response.setHeader("Idempotency-Replayed", "true")
        }
        return status === true ? undefined : answer(201, browser)
      }
      if (request.method === "POST") return answer(201, { id: `r/${seen.requests}`, status: "queued", sessionId: "s" })
      if (rest !== "status")
        return answer(200, { id: decodeURIComponent(id), status: "completed", result, tasks: [null] })
      const polls = (seen.polls.get(id) ?? 0) + 1
      seen.polls.set(id, polls)
      seen.polledAt.set(id, Date.now())
      return answer(200, { status: polls < 2 ? firstStatus : polls < 3 ? "running" : "completed" })
    })
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { seen, address: `http://127.0.0.1:${server.address().port}`, close }
}

const built = await buildK6({ log: console.error }).catch((error) => error)
const noGo = built instanceof BuildK6Error && built.exitCode === 4

/** A test that needs k6, and so Go when k6 has not been built before. */
const test = (name, body) => nodeTest(name, { skip: noGo && built.message }, body)

if (built instanceof Error && !noGo) throw built
const k6 = built

// our k6 needs a second of CPU to read the TypeScript at each start: where that is not the point, it gets the bundle
const bundles = mkdtempSync(join(tmpdir(), "smoke-bundles-"))
after(() => rmSync(bundles, { recursive: true }))
if (!noGo) execFileSync(process.execPath, [join(load, "bundle.mjs"), bundles])
const source = { script: join(load, "k6", "load.ts"), by: {} }
const bundle = { script: join(bundles, "load.js"), by: { XK6_TS: "false" } }

async function smoke(
  fail,
  environment = {},
  { abortAt, firstStatus = "running", from = bundle, keys = false, pauseAt, result = "hello", stallAt } = {}
) {
  const act = (request, ordinal) => {
    if (ordinal === abortAt) child.kill("SIGINT")
    if (ordinal === pauseAt) {
      child.kill("SIGSTOP")
      setTimeout(() => child.kill("SIGCONT"), 1500)
    }
    return fail?.(request, ordinal, () => child.kill("SIGINT"))
  }
  const keyHeader = (environment.WEBAGENT_API_KEY_HEADER ?? "X-Service-API-Key").toLowerCase()
  const service = await scriptedService({ fail: act, firstStatus, keyHeader, keys, result, stallAt })
  const summary = join(mkdtempSync(join(tmpdir(), "smoke-")), "summary.json")
  const { by, script } = from
  const env = {
    ...by,
    K6_NO_USAGE_REPORT: "true",
    K6_AUTO_EXTENSION_RESOLUTION: "false",
    WEBAGENT_BASE_URL: `${service.address}/api/v4/`,
    WEBAGENT_API_KEY: "wak_test",
    WEBAGENT_LOAD_MIX: "runs=1,browsers=1",
    WEBAGENT_LOAD_RATE: "20",
    // k6 makes virtual users for it beforehand: enough for a machine that is ten times as slow
    WEBAGENT_LOAD_RUN_TIMEOUT: "12s",
    WEBAGENT_LOAD_DURATION: "2s",
    WEBAGENT_LOAD_SUMMARY: summary,
    ...environment
  }
  const child = spawn(k6, ["run", "--quiet", script], { env, stdio: ["ignore", "pipe", "pipe"] })
  const output = { stdout: "", stderr: "" }
  for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (text) => (output[name] += text))
  const [exitCode] = await once(child, "close")
  service.close()
  const crossed = /thresholds on metrics '(.*)' have been crossed/.exec(output.stderr)?.[1].split(", ") ?? []
  return {
    ...output,
    exitCode,
    crossed,
    seen: service.seen,
    metrics: () => JSON.parse(readFileSync(summary, "utf8")).metrics
  }
}

describe("smoke", { concurrency: 3 }, () => {
  for (const name of ["smoke", "average-load", "stress", "spike", "soak", "breakpoint"]) {
    test(`k6 accepts the script of ${name} in the open model and, bundled, in the closed one`, async () => {
      for (const [{ by, script }, vus, executor] of [
        [source, "", /^(?:constant|ramping)-arrival-rate$/],
        [bundle, "3", /^(?:constant|ramping)-vus$/]
      ]) {
        const env = {
          ...by,
          K6_INCLUDE_SYSTEM_ENV_VARS: "true",
          WEBAGENT_LOAD_TEST: name,
          WEBAGENT_BASE_URL: "http://127.0.0.1:9",
          WEBAGENT_API_KEY: "wak_test",
          WEBAGENT_LOAD_VUS: vus
        }
        const child = spawn(k6, ["inspect", script], { env, stdio: ["ignore", "pipe", "inherit"] })
        const [options] = await Promise.all([text(child.stdout), once(child, "close")])
        const { scenarios, thresholds } = JSON.parse(options)
        assert.deepEqual(Object.keys(scenarios), [name])
        assert.match(Object.values(scenarios)[0].executor, executor)
        assert.equal("dropped_iterations" in thresholds, vus === "")
      }
    })
  }

  test("passes, polls, fetches and stops every browser that it created", async () => {
    const { exitCode, stdout, stderr, seen, metrics } = await smoke(undefined, {}, { from: source })
    assert.equal(exitCode, 0, stdout + stderr)
    assert.equal(stdout.match(/ ok$/gm).length, 10)
    // of forty starts; k6 leaves out what it is late for
    assert.ok(seen.browsers >= 10)
    assert.equal(seen.stopped, seen.browsers)
    assert.equal(metrics().runs_completed.values.count, seen.polls.size)
    assert.equal(metrics().polls_per_run.values.max, 3)
    assert.equal(metrics().time_to_terminal.values.count, seen.polls.size)
    // 50, 75 and 112 ms of pauses before the third poll
    assert.ok(metrics().time_to_terminal.values.min > 235)
  })

  test("crosses http_req_failed if a service fails 5 % of the requests", async () => {
    const fail = (_, ordinal) => (ordinal % 20 === 0 ? 500 : undefined)
    const { exitCode, crossed, stdout, metrics, seen } = await smoke(fail)
    assert.equal(exitCode, 99)
    assert.ok(crossed.includes("http_req_failed"))
    assert.match(stdout, /^http_req_failed +rate<0\.01 +0\.0\d+ +FAILED$/m)
    assert.equal(metrics().http_req_failed.values.rate, Math.floor(seen.requests / 20) / seen.requests)
  })

  test("fails if nothing happens", async () => {
    const { exitCode, crossed } = await smoke(undefined, { WEBAGENT_API_KEY: "wrong" })
    assert.equal(exitCode, 99)
    assert.deepEqual(crossed, ["browsers_stopped", "checks", "http_req_failed", "runs_completed"])
  })

  test("counts a browser that doesn't stop as leaked", async () => {
    const { exitCode, crossed, seen, metrics } = await smoke(({ method }) => (method === "PATCH" ? 503 : undefined))
    assert.equal(exitCode, 99)
    assert.ok(crossed.includes("browsers_leaked"))
    assert.equal(metrics().browsers_leaked.values.count, seen.browsers)
  })

  test("counts a run whose result is unavailable as lost", async () => {
    const { exitCode, crossed } = await smoke(({ method, url }) =>
      method === "GET" && !url.endsWith("/status") ? 404 : undefined
    )
    assert.equal(exitCode, 99)
    assert.ok(crossed.includes("runs_lost") && crossed.includes("runs_completed"))
  })

  test("counts a run that completes without a result as lost", async () => {
    const { crossed, exitCode } = await smoke(undefined, {}, { result: null })
    assert.equal(exitCode, 99)
    assert.deepEqual(crossed, ["checks", "runs_completed", "runs_lost"])
  })

  test("counts a run as lost if its create gets no response, but not if it is refused", async () => {
    let failed = 0
    /** Does something to every third create: after a pause of the machine k6 may begin more than it was asked for. */
    const some = (fail) => {
      let creates = 0
      return (request) => {
        if (request.method !== "POST" || !request.url.endsWith("/runs") || ++creates % 3 > 0) return undefined
        failed++
        return fail(request)
      }
    }
    const mix = { WEBAGENT_LOAD_MIX: "runs=1", WEBAGENT_LOAD_RATE: "10" }
    const refused = await smoke(
      some(() => 503),
      mix
    )
    assert.deepEqual(refused.crossed, ["checks", "http_req_failed"])
    failed = 0
    const silent = await smoke(
      some(({ socket }) => {
        socket.destroy()
        return true
      }),
      mix
    )
    assert.deepEqual(silent.crossed, ["checks", "http_req_failed", "runs_lost"])
    assert.ok(failed > 0)
    assert.equal(silent.metrics().runs_lost.values.count, failed)
  })

  test("sends interrupting and waiting messages in turn, in any mix", async () => {
    const { exitCode, seen, stdout } = await smoke(undefined, { WEBAGENT_LOAD_MIX: "queue=1,status=1" })
    assert.equal(exitCode, 0, stdout)
    const interrupting = seen.messages.filter(({ interrupt }) => interrupt).length
    assert.ok(seen.messages.length >= 6, String(seen.messages.length))
    assert.ok(Math.abs(interrupting - seen.messages.length / 2) <= 1, `${interrupting} of ${seen.messages.length}`)
  })
})

describe("an aborted smoke test, or one without responses", { concurrency: 3 }, () => {
  test("stops the browsers of interrupted iterations", async () => {
    // from the 40th request on no create is answered, so some are under way
    const silent = ({ method, url }, ordinal) =>
      ordinal >= 40 && ordinal < 60 && method === "POST" && url.endsWith("/browsers") ? true : undefined
    const { exitCode, seen, metrics, stderr } = await smoke(
      silent,
      { WEBAGENT_LOAD_MIX: "browsers=1", WEBAGENT_LOAD_DURATION: "20s" },
      { abortAt: 60, keys: true }
    )
    assert.equal(exitCode, 105, stderr)
    assert.ok(seen.browsers > 20, String(seen.browsers))
    assert.equal(seen.open.size, 0)
    const { browsers_leaked, browsers_stopped } = metrics()
    assert.equal(browsers_leaked.values.count, 0)
    assert.deepEqual(browsers_leaked.thresholds, { "count==0": { ok: true } })
    // one is the probe's, and one says what time it is at the service; some are made only as they are looked for
    assert.ok(browsers_stopped.values.count <= seen.browsers - 2)
  })

  test("stops them even if it is aborted after the last start was due", async () => {
    let isSilent = true
    const late = ({ method, url }, ordinal, abort) => {
      // the probe is over, nothing is answered, and the load's time ends
      if (ordinal === 5) setTimeout(() => (abort(), (isSilent = false)), 5000)
      return isSilent && ordinal > 3 && method === "POST" && url.endsWith("/browsers") ? true : undefined
    }
    const settings = { WEBAGENT_LOAD_MIX: "browsers=1", WEBAGENT_LOAD_RATE: "8", WEBAGENT_LOAD_DURATION: "1s" }
    const { exitCode, seen, metrics, stderr } = await smoke(late, settings, { keys: true })
    assert.equal(exitCode, 105, stderr)
    assert.ok(seen.browsers > 4, String(seen.browsers))
    assert.equal(seen.open.size, 0)
    assert.equal(metrics().browsers_leaked.values.count, 0)
    // of all eight or nine, and of no more than there are
    assert.equal(metrics().browsers_stopped.values.count, seen.browsers - 2)
  })

  test("stops them even if it is aborted before the load by a caller that knows its keys; otherwise they count as leaked", async () => {
    let isSilent = true
    const early = (_, ordinal, abort) => {
      if (ordinal === 2) setTimeout(() => (abort(), (isSilent = false)), 0)
      return isSilent ? true : undefined
    }
    const settings = { WEBAGENT_LOAD_MIX: "browsers=1" }
    const known = await smoke(early, { ...settings, WEBAGENT_LOAD_EXECUTION: "word" }, { keys: true })
    assert.equal(known.exitCode, 105, known.stderr)
    assert.deepEqual([known.seen.browsers, known.seen.open.size], [1, 0])
    assert.equal(known.metrics().browsers_leaked.values.count, 0)
    isSilent = true
    const unknown = await smoke(early, settings, { keys: true })
    assert.deepEqual([unknown.seen.open.size, unknown.metrics().browsers_leaked.values.count], [1, 2])
  })

  test("counts an unanswered probe as leaked", async () => {
    const silent = ({ socket }, ordinal) => {
      if (ordinal !== 1) return undefined
      socket.destroy()
      return true
    }
    const { crossed, metrics } = await smoke(silent, { WEBAGENT_LOAD_MIX: "browsers=1" })
    assert.ok(crossed.includes("browsers_leaked"), crossed.join())
    assert.equal(metrics().browsers_leaked.values.count, 1)
  })

  test("counts interrupted creates as leaked if they have no keys", async () => {
    const silent = ({ method }, ordinal) => (ordinal >= 40 && method === "POST" ? true : undefined)
    const { exitCode, seen, metrics } = await smoke(
      silent,
      { WEBAGENT_LOAD_MIX: "browsers=1", WEBAGENT_LOAD_DURATION: "20s" },
      { abortAt: 60 }
    )
    assert.equal(exitCode, 105)
    assert.ok(seen.open.size > 0)
    // more when a stop was cut off that the service has carried out
    assert.ok(metrics().browsers_leaked.values.count >= seen.open.size)
  })
})

describe("a smoke test with delays and mistakes", { concurrency: 3 }, () => {
  test("shows a stall in the open model's p99, and hardly in a closed model", async () => {
    const settings = { WEBAGENT_LOAD_MIX: "runs=1", WEBAGENT_LOAD_DURATION: "3s", WEBAGENT_LOAD_RATE: "40" }
    const p99 = ({ values }) => values["p(99)"]
    const open = await smoke(undefined, settings, { stallAt: 100 })
    assert.equal(open.exitCode, 0, open.stdout)
    // half of what was due in that time waited longer than half of it
    assert.ok(p99(open.metrics().time_to_terminal) > 0.9 * stall_ms)
    assert.ok(open.metrics().time_to_terminal.values["p(90)"] > stall_ms / 2)

    const closed = await smoke(undefined, { ...settings, WEBAGENT_LOAD_VUS: "1" }, { stallAt: 20 })
    assert.equal(closed.exitCode, 0, closed.stdout)
    assert.equal(closed.metrics().dropped_iterations, undefined)
    assert.ok(closed.metrics().time_to_terminal.values.med < stall_ms / 2)
    assert.ok(closed.metrics().iterations.values.count < open.metrics().iterations.values.count / 5)
  })

  test("includes the delay of iterations that k6 starts late", async (t) => {
    const settings = { WEBAGENT_LOAD_MIX: "runs=1", WEBAGENT_LOAD_RATE: "10", WEBAGENT_LOAD_DURATION: "4s" }
    const { metrics, seen } = await smoke(undefined, settings, { pauseAt: 1 })
    const { avg, count } = metrics().time_to_terminal.values
    if (count !== seen.polledAt.size || count !== metrics().iterations.values.count) {
      return t.skip("the machine was too busy for each run to be known")
    }
    // Each was known after its last poll, and due a tenth of a second after the one before. The first was due before the
    // first request came. So it waited this long at least, however slow the machine.
    const asked_ms = [...seen.polledAt.values()].reduce((sum, at) => sum + at - seen.firstAt, 0) / count
    const least = asked_ms - (100 * (count - 1)) / 2
    assert.ok(avg > least - 5, `${avg} ms, ${least} ms`)
  })

  test("fails after an exception in an iteration", async () => {
    // a session with a task that is none
    const { crossed, exitCode, stderr } = await smoke(undefined, { WEBAGENT_LOAD_MIX: "v2=1" }, { from: source })
    assert.match(stderr, /TypeError: .*flows\/v2-sessions\.ts:\d+/)
    assert.equal(exitCode, 99)
    assert.ok(crossed.includes("iterations_failed"), crossed.join())
  })

  test("crosses contract_violations if sampled responses don't match the contract", async () => {
    const sampled = (share) => smoke(undefined, { WEBAGENT_LOAD_SAMPLE: share }, { firstStatus: 7 })
    const all = await sampled("1")
    assert.equal(all.exitCode, 99)
    assert.deepEqual(all.crossed, ["contract_violations"])
    assert.match(all.stderr, /v4\.getRunStatus answers what the contract does not know: SchemaError\(.*status/)
    const { answers_decoded, contract_violations } = all.metrics()
    assert.ok(answers_decoded.values.count > 50)
    assert.equal(contract_violations.values.count, all.seen.polls.size)

    const none = await sampled("0")
    assert.equal(none.exitCode, 0)
    assert.equal(none.metrics().answers_decoded, undefined)
  })

  test("accepts another key header, and requires an address", async () => {
    assert.equal((await smoke(undefined, { WEBAGENT_API_KEY_HEADER: "X-Key" })).exitCode, 0)
    const missing = await smoke(undefined, { WEBAGENT_BASE_URL: "" })
    assert.equal(missing.exitCode, 107)
    assert.match(missing.stderr, /Set WEBAGENT_BASE_URL\. It has no default\./)
  })
})
