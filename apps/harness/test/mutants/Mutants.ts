import type { Answered, Mutation, Sent } from "./MutantProxy.ts"

/** A server broken on purpose, and the scenario that has to notice. */
export interface Mutant {
  readonly name: string
  readonly suite: string
  /** The part of a scenario's name that names the bug. Another scenario's failure, or a chance one, is no proof. */
  readonly noticedBy: string
  /** Noticed by a wait that does not end, where every other mutant has to be noticed by what came. */
  readonly hangs?: true
  /** Noticed in a task that its agent says it has done: the verdict is then that success was claimed. */
  readonly claimed?: true
  /** A new mutation a run: some remember what they saw. */
  readonly make: () => Mutation
}

type Json = Record<string, unknown>

const parse = (text: string): Json => {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === "object" && json !== null ? (json as Json) : {}
  } catch {
    return {}
  }
}

const matches = (sent: Sent, method: string, path: RegExp) => sent.method === method && path.test(sent.path)

/** Changes the JSON of a successful answer to one kind of request. */
const answers = (method: string, path: RegExp, change: (json: Json) => Json): Mutation => ({
  onAnswer: (answered, sent) =>
    matches(sent, method, path) && answered.status < 300
      ? { ...answered, body: JSON.stringify(change(parse(answered.body))) }
      : answered
})

/** Answers another status to one kind of request. */
const statuses = (method: string, path: RegExp, from: number, to: number): Mutation => ({
  onAnswer: (answered, sent) =>
    matches(sent, method, path) && answered.status === from ? { ...answered, status: to } : answered
})

const tasks = (change: (task: Json) => Json) => (session: Json) => ({
  ...session,
  tasks: (session["tasks"] as ReadonlyArray<Json>).map(change)
})

const without = (field: string) => (json: Json) =>
  Object.fromEntries(Object.entries(json).filter(([key]) => key !== field))

const v2Session = /^\/api\/v2\/sessions\/[^/]+$/u
const v3Sessions = /^\/api\/v3\/sessions$/u
const v3Session = /^\/api\/v3\/sessions\/[^/]+$/u
const runs = /^\/api\/v4\/runs$/u
const run = /^\/api\/v4\/runs\/[^/]+$/u
const runStatus = /^\/api\/v4\/runs\/[^/]+\/status$/u
const queue = /^\/api\/v4\/sessions\/[^/]+\/queue$/u
const browsers = /^\/api\/v4\/browsers$/u
const browser = /^\/api\/v4\/browsers\/[^/]+$/u

const validKey = "wak_test"

const valid = (text: string) =>
  JSON.stringify({ task: "t", text: "t", interrupt: false, action: "stop", ...parse(text) })

/** Every planted bug. Each is something that a server of this kind has got wrong, or might. */
export const mutants: ReadonlyArray<Mutant> = [
  // authentication
  {
    name: "a key is required and not compared",
    suite: "authentication",
    noticedBy: "v4 POST /runs without a valid key is rejected",
    make: () => ({
      onRequest: (sent) => {
        const key = sent.headers["x-service-api-key"]
        return key === undefined || key === ""
          ? sent
          : { ...sent, headers: { ...sent.headers, "x-service-api-key": validKey } }
      }
    })
  },
  {
    name: "no key is needed to read a run's status",
    suite: "authentication",
    noticedBy: "v4 GET /runs/{run_id}/status without a valid key is our 401",
    make: () => ({
      onRequest: (sent) =>
        matches(sent, "GET", runStatus)
          ? { ...sent, headers: { ...sent.headers, "x-service-api-key": validKey } }
          : sent
    })
  },
  {
    name: "a key of the right length is enough",
    suite: "authentication",
    noticedBy: "v3 POST /sessions without a valid key is rejected",
    make: () => ({
      onRequest: (sent) =>
        String(sent.headers["x-service-api-key"] ?? "").length === validKey.length
          ? { ...sent, headers: { ...sent.headers, "x-service-api-key": validKey } }
          : sent
    })
  },
  {
    name: "a missing key is 403 and not 401",
    suite: "authentication",
    noticedBy: "v4 POST /runs without a valid key is our 401",
    make: () => statuses("POST", runs, 401, 403)
  },
  {
    name: "the body is validated before the key",
    suite: "authentication",
    noticedBy: "the key is looked at before anything else",
    make: () => ({
      onAnswer: (answered, sent) =>
        answered.status === 401 &&
        sent.method === "POST" &&
        parse(sent.body)["task"] === undefined &&
        runs.test(sent.path)
          ? { status: 422, body: '{"detail":[]}' }
          : answered
    })
  },

  // v2
  {
    name: "v2: an unknown session is 400",
    suite: "v2-sessions",
    noticedBy: "an unknown session is the described 404",
    make: () => statuses("GET", v2Session, 404, 400)
  },
  {
    name: "v2: an id that is no uuid is 404",
    suite: "v2-sessions",
    noticedBy: "an id that is no uuid is the described 422",
    make: () => statuses("GET", v2Session, 422, 404)
  },
  {
    name: "v2: the 404 has another body",
    suite: "v2-sessions",
    noticedBy: "an unknown session is the described 404",
    make: () => ({
      onAnswer: (answered, sent) =>
        matches(sent, "GET", v2Session) && answered.status === 404
          ? { ...answered, body: '{"error":"not found"}' }
          : answered
    })
  },
  {
    name: "v2: startedAt is missing",
    suite: "v2-sessions",
    noticedBy: "a session has every required field, of its described type",
    claimed: true,
    make: () => answers("GET", v2Session, without("startedAt"))
  },
  {
    name: "v2: keepAlive defaults to false",
    suite: "v2-sessions",
    noticedBy: "unless asked otherwise a session stays alive",
    claimed: true,
    make: () => answers("GET", v2Session, (json) => ({ ...json, keepAlive: false }))
  },
  {
    name: "v2: proxyCost is a number",
    suite: "v2-sessions",
    noticedBy: "amounts are decimal numbers as text",
    claimed: true,
    make: () => answers("GET", v2Session, (json) => ({ ...json, proxyCost: Number(json["proxyCost"]) }))
  },
  {
    name: "v2: finishedAt is set while active",
    suite: "v2-sessions",
    noticedBy: "finishedAt is null exactly while a session is active",
    claimed: true,
    make: () => answers("GET", v2Session, (json) => ({ ...json, finishedAt: json["startedAt"] }))
  },
  {
    name: "v2: task times carry a Z",
    suite: "v2-sessions",
    noticedBy: "task times are naive UTC",
    claimed: true,
    make: () =>
      answers(
        "GET",
        v2Session,
        tasks((task) => ({ ...task, createdAt: `${String(task["createdAt"])}Z` }))
      )
  },
  {
    name: "v2: a failed task reads as finished",
    suite: "v2-sessions",
    noticedBy: "a failed run is a failed task",
    make: () =>
      answers(
        "GET",
        v2Session,
        tasks((task) => (task["status"] === "failed" ? { ...task, status: "finished" } : task))
      )
  },
  {
    name: "v2: a cancelled task reads as failed",
    suite: "v2-sessions",
    noticedBy: "a cancelled run is a stopped task",
    make: () =>
      answers(
        "GET",
        v2Session,
        tasks((task) => (task["status"] === "stopped" ? { ...task, status: "failed" } : task))
      )
  },
  {
    name: "v2: a task's output is lost",
    suite: "v2-sessions",
    noticedBy: "a completed run is a finished task with its output",
    claimed: true,
    make: () =>
      answers(
        "GET",
        v2Session,
        tasks((task) => ({ ...task, output: null }))
      )
  },
  {
    name: "v2: a task's cost is a number",
    suite: "v2-sessions",
    noticedBy: "a task has every required field, of its described type",
    make: () =>
      answers(
        "GET",
        v2Session,
        tasks((task) => ({ ...task, cost: Number(task["cost"] ?? 0) }))
      )
  },
  {
    name: "v2: a task names another session",
    suite: "v2-sessions",
    noticedBy: "a task has every required field, of its described type",
    claimed: true,
    make: () =>
      answers(
        "GET",
        v2Session,
        tasks((task) => ({ ...task, sessionId: task["id"] }))
      )
  },
  {
    name: "v2: the judge's report is an object, not a string",
    suite: "v2-sessions",
    noticedBy: "a judge's verdict comes with its report as JSON text",
    claimed: true,
    make: () =>
      answers(
        "GET",
        v2Session,
        tasks((task) =>
          typeof task["judgement"] === "string" ? { ...task, judgement: parse(task["judgement"]) } : task
        )
      )
  },

  // v3
  {
    name: "v3: a create answers 200 without an id",
    suite: "v3-sessions",
    noticedBy: "creating a session answers it with an id",
    make: () => answers("POST", v3Sessions, without("id"))
  },
  {
    name: "v3: the result never comes",
    suite: "v3-sessions",
    noticedBy: "the result is what the agent found",
    make: () => answers("GET", v3Session, (json) => ({ ...json, result: null }))
  },
  {
    name: "v3: every session has the first one's result",
    suite: "v3-sessions",
    noticedBy: "each of ten sessions at a time gets its own result",
    make: () => {
      let first: unknown
      return answers("GET", v3Session, (json) => {
        first ??= json["result"]
        return json["result"] === null ? json : { ...json, result: first }
      })
    }
  },
  {
    name: "v3: an unknown session is 200 and empty",
    suite: "not-found",
    noticedBy: "v3 GET /sessions/{session_id} of something unknown is refused",
    make: () => ({
      onAnswer: (answered, sent) =>
        matches(sent, "GET", v3Session) && answered.status === 404 ? { status: 200, body: "{}" } : answered
    })
  },

  // v4 runs
  {
    name: "v4: a create answers 500 after it made the run",
    suite: "v4-runs",
    noticedBy: "creating a run answers with its id",
    make: () => statuses("POST", runs, 201, 500)
  },
  {
    name: "v4: a failed run reads as completed",
    suite: "v4-runs",
    noticedBy: "a failed run is failed",
    make: () => ({
      onAnswer: (answered, sent) =>
        (matches(sent, "GET", run) || matches(sent, "GET", runStatus)) && parse(answered.body)["status"] === "failed"
          ? { ...answered, body: JSON.stringify({ ...parse(answered.body), status: "completed" }) }
          : answered
    })
  },
  {
    name: "v4: the status of a finished run stays running",
    suite: "v4-runs",
    noticedBy: "a cancelled run is cancelled",
    hangs: true,
    make: () => answers("GET", runStatus, (json) => (json["status"] === "cancelled" ? { status: "running" } : json))
  },
  {
    name: "v4: status and full run disagree",
    suite: "v4-runs",
    noticedBy: "the cheap status and the full run agree at the end",
    // a client reads a run again that is terminal by one answer and not by the next
    hangs: true,
    make: () => answers("GET", run, (json) => ({ ...json, status: "queued" }))
  },
  {
    name: "v4: the result of a completed run is missing",
    suite: "v4-runs",
    noticedBy: "a completed run has its result",
    make: () => answers("GET", run, without("result"))
  },
  {
    name: "v4: a result shows before the run is terminal",
    suite: "v4-runs",
    noticedBy: "a run at work is not terminal, and has no result",
    make: () => answers("GET", run, (json) => (json["finishedAt"] === null ? { ...json, result: "early" } : json))
  },
  {
    name: "v4: every create answers the first run",
    suite: "v4-runs",
    noticedBy: "each of twenty runs at a time gets its own result",
    make: () => {
      let first: Answered | undefined
      return {
        onAnswer: (answered, sent) =>
          matches(sent, "POST", runs) && answered.status < 300 ? (first ??= answered) : answered
      }
    }
  },
  {
    name: "v4: an interrupt waits its turn",
    suite: "v4-runs",
    noticedBy: "an interrupt runs immediately and cancels what runs",
    make: () => ({
      onRequest: (sent) =>
        matches(sent, "POST", queue)
          ? { ...sent, body: sent.body.replace(/"interrupt":\s*true/u, '"interrupt":false') }
          : sent
    })
  },
  {
    name: "v4: every message interrupts",
    suite: "v4-runs",
    noticedBy: "a follow-up waits while the turn before it runs",
    make: () => ({
      onRequest: (sent) =>
        matches(sent, "POST", queue)
          ? { ...sent, body: sent.body.replace(/"interrupt":\s*false/u, '"interrupt":true') }
          : sent
    })
  },
  {
    name: "v4: a message is accepted and forgotten",
    suite: "v4-runs",
    noticedBy: "a follow-up runs as the next turn",
    make: () => {
      let last = ""
      return {
        onRequest: (sent) =>
          matches(sent, "POST", queue) && last !== ""
            ? { status: 201, body: JSON.stringify({ id: "m", runId: last, status: "consumed" }) }
            : sent,
        onAnswer: (answered, sent) => {
          if (matches(sent, "POST", runs) && answered.status < 300) last = String(parse(answered.body)["id"])
          return answered
        }
      }
    }
  },

  // browsers
  {
    name: "a browser stops when its CDP connection closes",
    suite: "v4-browsers",
    noticedBy: "closing the CDP connection does not stop the browser",
    make: () => ({
      onDisconnect: (path, send) =>
        send({ method: "PATCH", path: path.replace(/\/cdp.*$/u, ""), body: '{"action":"stop"}' })
    })
  },
  {
    name: "a stop is acknowledged and not done",
    suite: "v4-browsers",
    noticedBy: "a stopped browser is not reached at its cdpUrl any more",
    make: () => ({
      onRequest: (sent) =>
        matches(sent, "PATCH", browser) && sent.body.includes('"stop"')
          ? { status: 200, body: '{"status":"stopped"}' }
          : sent
    })
  },
  {
    name: "a second stop is 409",
    suite: "v4-browsers",
    noticedBy: "stopping twice is the same as once",
    make: () => {
      const stopped = new Set<string>()
      return {
        onAnswer: (answered, sent) => {
          if (!matches(sent, "PATCH", browser) || answered.status !== 200) return answered
          if (stopped.has(sent.path)) return { status: 409, body: '{"detail":"Browser is stopped"}' }
          stopped.add(sent.path)
          return answered
        }
      }
    }
  },
  {
    name: "every browser has the first one's cdpUrl",
    suite: "v4-browsers",
    noticedBy: "two browsers have their own ids and addresses",
    make: () => {
      let first: unknown
      return answers("POST", browsers, (json) => {
        first ??= json["cdpUrl"]
        return { ...json, cdpUrl: first }
      })
    }
  },
  {
    name: "cdpUrl is missing",
    suite: "v4-browsers",
    noticedBy: "creating a browser answers its id and cdpUrl",
    make: () => answers("POST", browsers, without("cdpUrl"))
  },
  {
    name: "another action than stop is accepted",
    suite: "v4-browsers",
    noticedBy: "another action than stop is a 422",
    make: () => ({
      onAnswer: (answered, sent) =>
        matches(sent, "PATCH", browser) && answered.status === 422 ? { status: 200, body: "{}" } : answered
    })
  },

  // validation and ids
  {
    name: "bodies are not validated",
    suite: "validation",
    noticedBy: "v4 POST /runs refuses bodies that do not fit",
    make: () => ({
      onRequest: (sent) =>
        sent.method === "POST" || sent.method === "PATCH"
          ? { ...sent, body: valid(sent.body), headers: { ...sent.headers, "content-type": "application/json" } }
          : sent
    })
  },
  {
    name: "a body that is not JSON is a 500",
    suite: "validation",
    noticedBy: "v4 POST /runs refuses bodies that do not fit",
    make: () => ({
      onAnswer: (answered, sent) => {
        if (answered.status !== 422 || sent.body === "") return answered
        try {
          JSON.parse(sent.body)
          return answered
        } catch {
          return { status: 500, body: "Internal Server Error" }
        }
      }
    })
  },
  {
    name: "a validation error does not say where",
    suite: "validation",
    noticedBy: "v2 answers a word for a session_id with the described 422",
    make: () => ({
      onAnswer: (answered) =>
        answered.status === 422
          ? { ...answered, body: '{"detail":[{"loc":[],"msg":"Invalid","type":"value_error"}]}' }
          : answered
    })
  },
  {
    name: "an unknown run is 200",
    suite: "not-found",
    noticedBy: "v4 GET /runs/{run_id} of something unknown is refused",
    make: () => ({
      onAnswer: (answered, sent) =>
        matches(sent, "GET", run) && answered.status === 404
          ? { status: 200, body: '{"id":"x","status":"queued"}' }
          : answered
    })
  },
  {
    name: "a message for an unknown session is taken",
    suite: "not-found",
    noticedBy: "v4 POST /sessions/{session_id}/queue of something unknown is refused",
    make: () => ({
      onAnswer: (answered, sent) =>
        matches(sent, "POST", queue) && answered.status === 404 ? { status: 201, body: "{}" } : answered
    })
  },

  // across versions
  {
    name: "v2 does not see what v4 made",
    suite: "cross-version",
    noticedBy: "a completed run reads as finished in v2",
    make: () => ({
      onAnswer: (answered, sent) =>
        matches(sent, "GET", v2Session) && answered.status === 200
          ? { status: 404, body: '{"detail":"Session not found"}' }
          : answered
    })
  },
  {
    name: "v3 shows another task than v4 was given",
    suite: "cross-version",
    noticedBy: "one session has the same task and result in every version",
    claimed: true,
    make: () => answers("GET", v3Session, (json) => ({ ...json, task: "another" }))
  }
]
