import {
  type Mutant,
  parse,
  matches,
  answers,
  statuses,
  without,
  runs,
  run,
  runStatus,
  queue,
  browsers,
  browser
} from "./Mutant.ts"
import type { Answered } from "./MutantProxy.ts"

/** Servers that are wrong about v4 runs and browsers. */
export const runMutants: ReadonlyArray<Mutant> = [
  // v4 runs
  {
    name: "v4: a create answers 500 after it made the run",
    suite: "v4-runs",
    noticedBy: "creating a run returns its id",
    make: () => statuses("POST", runs, 201, 500)
  },
  {
    name: "v4: a failed run reads as completed",
    suite: "v4-runs",
    noticedBy: "a failed run has the status failed",
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
    noticedBy: "a cancelled run has the status cancelled",
    hangs: true,
    make: () => answers("GET", runStatus, (json) => (json["status"] === "cancelled" ? { status: "running" } : json))
  },
  {
    name: "v4: status and full run disagree",
    suite: "v4-runs",
    noticedBy: "a finished run has the same status in both operations",
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
    noticedBy: "a running run isn't terminal and has no result",
    make: () => answers("GET", run, (json) => (json["finishedAt"] === null ? { ...json, result: "early" } : json))
  },
  {
    name: "v4: every create answers the first run",
    suite: "v4-runs",
    noticedBy: "twenty runs at the same time get their own results",
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
    noticedBy: "an interrupt runs immediately and cancels the current run",
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
    noticedBy: "a follow-up waits for the previous turn",
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
    noticedBy: "a stopped browser is unreachable at its cdpUrl",
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
    noticedBy: "stopping a browser twice has no further effect",
    make: () => {
      const stopped = new Set<string>()
      return {
        onAnswer: (answered, sent) => {
          if (!matches(sent, "PATCH", browser) || answered.status !== 200) return answered
          // a client repeats a stop that is refused: the third one ends the trial
          if (stopped.delete(sent.path)) return { status: 409, body: '{"detail":"Browser is stopped"}' }
          stopped.add(sent.path)
          return answered
        }
      }
    }
  },
  {
    name: "every browser has the first one's cdpUrl",
    suite: "v4-browsers",
    noticedBy: "two browsers have different ids and addresses",
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
    noticedBy: "creating a browser returns its id and cdpUrl",
    make: () => answers("POST", browsers, without("cdpUrl"))
  },
  {
    name: "another action than stop is accepted",
    suite: "v4-browsers",
    noticedBy: "an action other than stop returns 422",
    make: () => ({
      onAnswer: (answered, sent) =>
        matches(sent, "PATCH", browser) && answered.status === 422 ? { status: 200, body: "{}" } : answered
    })
  }
]
