import type { RunReport, ScenarioResult } from "@webagent/report/RunReport"
import type { Trial } from "@webagent/report/Trial"

const trial = (index: number, verdict: Trial["verdict"]): Trial => ({
  index,
  seed: index + 7,
  verdict,
  started_ms: 1000 * index,
  duration_ms: 500,
  checks: 1,
  requests: 3,
  cost_usd: "0.01",
  reruns: [],
  leakedBrowsers: [],
  breaches: [],
  ...(verdict === "passed" || verdict === "infra"
    ? {}
    : {
        failure: { kind: "check", message: "was not met", expected: "an order", actual: "no order" },
        agentSteps: [
          {
            runId: "r",
            liveUrl: null,
            recordingUrl: null,
            count: 1,
            steps: [{ number: 1, beganAt: "", address: "http://shop", summary: "Clicked Buy" }]
          }
        ]
      })
})

const result = (suite: string, name: string, ...verdicts: ReadonlyArray<Trial["verdict"]>): ScenarioResult => ({
  suite,
  name,
  tags: ["eval"],
  needs: ["money"],
  verdict: "flaky",
  started_ms: 0,
  duration_ms: 1000,
  checks: 1,
  cost_usd: (0.01 * verdicts.length).toFixed(2),
  trials: verdicts.map((verdict, index) => trial(index, verdict))
})

/** A report of an evaluation of two sites. */
export const report = {
  format: 3,
  header: {
    tool: { name: "webagent-harness", version: "1.2.3" },
    startedAt: "2026-11-29T12:00:00.000Z",
    seed: 1,
    concurrency: 2,
    trials: null,
    limits: {},
    target: { name: "server of ours", address: "http://127.0.0.1:8080", simulated: false, capabilities: [] },
    suites: [
      { name: "eval-shop", scenarios: 2 },
      { name: "eval-mail", scenarios: 1 }
    ]
  },
  duration_ms: 5000,
  interrupted: false,
  cost_usd: "0.05",
  results: [
    result("eval-shop", "order", "passed", "claimed"),
    result("eval-shop", "cheapest", "passed", "passed"),
    result("eval-mail", "reply", "failed", "infra")
  ],
  breaches: []
} satisfies Omit<RunReport, "counts">
