import {
  type Mutant,
  parse,
  matches,
  answers,
  statuses,
  tasks,
  without,
  v2Session,
  v3Sessions,
  v3Session
} from "./Mutant.ts"

/** Servers that are wrong about sessions of v2 and v3. */
export const sessionMutants: ReadonlyArray<Mutant> = [
  // v2
  {
    name: "v2: an unknown session is 400",
    suite: "v2-sessions",
    noticedBy: "an unknown session returns the described 404",
    make: () => statuses("GET", v2Session, 404, 400)
  },
  {
    name: "v2: an id that isn't a UUID returns 404",
    suite: "v2-sessions",
    noticedBy: "an id that isn't a UUID returns the described 422",
    make: () => statuses("GET", v2Session, 422, 404)
  },
  {
    name: "v2: the 404 has another body",
    suite: "v2-sessions",
    noticedBy: "an unknown session returns the described 404",
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
    noticedBy: "a session has every required field with its described type",
    claimed: true,
    make: () => answers("GET", v2Session, without("startedAt"))
  },
  {
    name: "v2: keepAlive defaults to false",
    suite: "v2-sessions",
    noticedBy: "a session stays alive and keeps its memory",
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
    noticedBy: "a task has every required field with its described type",
    // a cost that is a number is read, and so is the agent's opinion next to it
    claimed: true,
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
    noticedBy: "a task has every required field with its described type",
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
    noticedBy: "creating a session returns its id",
    make: () => answers("POST", v3Sessions, without("id"))
  },
  {
    name: "v3: the result never comes",
    suite: "v3-sessions",
    noticedBy: "a session has the agent's result",
    claimed: true,
    make: () => answers("GET", v3Session, (json) => ({ ...json, result: null }))
  },
  {
    name: "v3: every session has the first one's result",
    suite: "v3-sessions",
    noticedBy: "ten sessions at the same time get their own results",
    claimed: true,
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
    noticedBy: "v3 GET /sessions/{session_id} rejects an unknown id",
    make: () => ({
      onAnswer: (answered, sent) =>
        matches(sent, "GET", v3Session) && answered.status === 404 ? { status: 200, body: "{}" } : answered
    })
  }
]
