import {
  type Mutant,
  parse,
  matches,
  answers,
  statuses,
  v2Session,
  v3Session,
  runs,
  run,
  runStatus,
  queue,
  validKey,
  valid
} from "./Mutant.ts"
import { sessionMutants } from "./SessionMutants.ts"
import { runMutants } from "./RunMutants.ts"

/** Every planted bug. Each is something that a server of this kind has got wrong, or might. */
export const mutants: ReadonlyArray<Mutant> = [
  ...sessionMutants,
  ...runMutants,
  // authentication
  {
    name: "a key is required and not compared",
    suite: "authentication",
    noticedBy: "v4 POST /runs rejects requests without a valid key",
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
    noticedBy: "v4 GET /runs/{run_id}/status returns 401 without a valid key",
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
    noticedBy: "v3 POST /sessions rejects requests without a valid key",
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
    noticedBy: "v4 POST /runs returns 401 without a valid key",
    make: () => statuses("POST", runs, 401, 403)
  },
  {
    name: "the body is validated before the key",
    suite: "authentication",
    noticedBy: "the key is checked before the request",
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
  // validation and ids
  {
    name: "bodies are not validated",
    suite: "validation",
    noticedBy: "v4 POST /runs rejects invalid bodies",
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
    noticedBy: "v4 POST /runs rejects invalid bodies",
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
    noticedBy: "v2 returns the described 422 for a word as session_id",
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
    noticedBy: "v4 GET /runs/{run_id} rejects an unknown id",
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
    noticedBy: "v4 POST /sessions/{session_id}/queue rejects an unknown id",
    make: () => ({
      onAnswer: (answered, sent) =>
        matches(sent, "POST", queue) && answered.status === 404 ? { status: 201, body: "{}" } : answered
    })
  },
  // across versions
  {
    name: "v2 does not see what v4 made",
    suite: "cross-version",
    noticedBy: "a completed run is finished in v2",
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
    noticedBy: "a session has the same task and result in every version",
    claimed: true,
    make: () => answers("GET", v3Session, (json) => ({ ...json, task: "another" }))
  }
]
