import type { Browser, Control, Key, Mark, ModelCall, Node, Run, RunDetails, RunStep } from "@webagent/admin"

/** Texts that would be markup, script or confusing if anything took them for more than text. */
export const hostile = [
  `<img src=x onerror="globalThis.pwned=1">`,
  `"><script>globalThis.pwned=1</script>`,
  `javascript:globalThis.pwned=1`,
  `{{constructor.constructor('globalThis.pwned=1')()}}`,
  `safe\u202egnp.exe\u202c \u200b\u0000`,
  `[link](javascript:globalThis.pwned=1) <svg/onload=globalThis.pwned=1>`
] as const

const start_ms = Date.parse("2026-11-28T09:00:00Z")

const at = (ms: number) => new Date(start_ms + ms).toISOString()

const tasks = [
  "Find the cheapest direct flight from Oslo to Rome in May",
  "Which of the open positions in Vienna mention TypeScript?",
  "Download the invoices of October and list their totals",
  "Compare the prices of five hotels near the Colosseum",
  "Book a table for two on Friday evening"
]

const statuses = ["running", "queued", "completed", "failed", "completed", "cancelled", "completed"] as const

const idOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`

const failureOf = (n: number) => (n % 2 === 0 ? "step_limit" : "model_error")

const reasonOf = (status: (typeof statuses)[number], n: number) => {
  if (status === "completed") return "done"
  if (status === "cancelled") return "asked"
  return status === "failed" ? failureOf(n) : null
}

const makeRun = (n: number): Run => {
  const status = statuses[n % statuses.length] ?? "completed"
  const created_ms = -n * 61_000
  const isOver = !["running", "queued"].includes(status)
  const isHostile = n % 17 === 3
  return {
    id: idOf(n),
    status,
    task: isHostile ? (hostile[n % hostile.length] ?? "") : (tasks[n % tasks.length] ?? ""),
    title: null,
    model: ["gpt-6-mini", "sonnet-6"][n % 2] ?? null,
    owner: ["shop", "support", "research"][n % 3] ?? null,
    node: ["node-a", "node-b"][n % 2] ?? null,
    tags: isHostile ? [hostile[0]] : n % 5 === 0 ? ["nightly"] : [],
    sessionId: idOf(500_000 + n),
    workspaceId: null,
    steps: status === "queued" ? 0 : 9,
    failure: status === "failed" ? failureOf(n) : null,
    reason: reasonOf(status, n),
    error: status === "failed" ? "The model answered 529 after three attempts: overloaded" : null,
    result:
      status === "completed" ? { airline: "Norwegian", price: 89, note: isHostile ? hostile[1] : "direct" } : null,
    isSuccess: status === "completed" ? true : null,
    judgement: null,
    totalCostUsd: status === "queued" ? null : (0.0123 * ((n % 7) + 1)).toFixed(4),
    totalInputTokens: 21_340,
    totalOutputTokens: 1802,
    createdAt: at(created_ms),
    startedAt: status === "queued" ? null : at(created_ms + 800),
    finishedAt: isOver ? at(created_ms + 42_000) : null,
    updatedAt: at(created_ms + 42_000)
  }
}

const makeSteps = (run: Run): ReadonlyArray<RunStep> =>
  Array.from({ length: run.steps }, (_, index): RunStep => {
    const number = index + 1
    const isLast = number === run.steps
    return {
      runId: run.id,
      number,
      title: null,
      summary:
        number === 4
          ? (hostile[number % hostile.length] ?? "")
          : (["Open the results", "Read the table of prices", "Scroll down", "Type the destination"][index % 4] ?? ""),
      tool: ["navigate", "read", "scroll", "type"][index % 4] ?? null,
      role: number % 4 === 0 ? "textbox" : null,
      name: number % 4 === 0 ? "Destination" : null,
      address: number === 5 ? hostile[2] : `https://maps.example/search?q=${number}`,
      value: number % 4 === 0 ? "Rome" : null,
      verified: number % 3 === 0 ? true : null,
      failure: isLast && run.status === "failed" ? "The button could not be clicked: another element covers it" : null,
      startedAt: run.createdAt,
      durationMs: isLast && run.status === "running" ? null : 900 + ((number * 1733) % 6000),
      tokens: { input: 2000, output: 180 },
      costUsd: (0.0015 * number).toFixed(4),
      picture: number % 2 === 1
    }
  })

const makeCalls = (run: Run): ReadonlyArray<ModelCall> =>
  Array.from({ length: run.steps }, (_, index) => ({
    runId: run.id,
    number: index + 1,
    step: index + 1,
    model: run.model,
    inputTokens: 2000 + index * 300,
    outputTokens: 180,
    costUsd: (0.0015 * (index + 1)).toFixed(4),
    startedAt: run.createdAt,
    durationMs: 900 + index * 120,
    failure: null
  }))

/** An event as the console's socket sends it. */
export interface WorldEvent {
  readonly id: string
  readonly event: string
  readonly data: unknown
}

/** A service with made-up records, always the same. */
export const makeWorld = (size: number) => {
  const runs = new Map(Array.from({ length: size }, (_, n) => [idOf(n), makeRun(n)] as const))
  /** Newest first. */
  let order = [...runs.keys()]
  const keys: Array<Key> = ["shop", "support", "research"].map((name, n) => ({
    name,
    prefix: `wak_${name.slice(0, 3)}`,
    scopes: n === 0 ? ["read", "runs", "browsers", "admin"] : ["read", "runs"],
    limits: { runs: n === 1 ? 5 : null, browsers: null, requestsPerMinute: 600, usdPerDay: n === 2 ? 10 : null },
    createdAt: at(-86_400_000 * (n + 1)),
    revokedAt: null,
    usage: { runs: n, browsers: n, usdToday: (0.42 * n).toFixed(2) }
  }))
  const nodes: ReadonlyArray<Node> = ["node-a", "node-b"].map((name) => ({
    id: `${name}-1`,
    name,
    address: null,
    draining: name === "node-b",
    room: 6,
    sessions: 2,
    browsers: 2,
    startedAt: at(-3_600_000)
  }))
  const browsers = new Map<string, Browser>(
    [0, 1, 2].map((n) => [
      idOf(900_000 + n),
      {
        id: idOf(900_000 + n),
        status: "active",
        owner: "shop",
        node: "node-a",
        agentSessionId: n === 2 ? null : idOf(500_000),
        runId: n === 2 ? null : idOf(0),
        title: n === 0 ? hostile[0] : "Flights to Rome",
        address: n === 0 ? hostile[2] : "https://maps.example/flights",
        stopReason: null,
        recording: false,
        startedAt: at(-60_000),
        timeoutAt: null,
        finishedAt: null
      } satisfies Browser
    ])
  )
  const controls = new Map<string, Control>()
  const marks = new Map<string, Mark>()
  const events: Array<WorldEvent> = []
  const listeners = new Set<(event: WorldEvent) => void>()
  let position = 0
  const tell = (event: string, data: unknown) => {
    const one = { id: String(++position), event, data }
    events.push(one)
    for (const listener of listeners) listener(one)
  }
  const put = (run: Run) => {
    if (!runs.has(run.id)) order = [run.id, ...order]
    runs.set(run.id, run)
    tell("run", run)
  }
  let made = 0
  const start = (task: string): Run => {
    const run: Run = {
      ...makeRun(0),
      id: idOf(700_000 + ++made),
      status: "running",
      task,
      tags: [],
      steps: 0,
      createdAt: new Date().toISOString(),
      startedAt: new Date().toISOString(),
      finishedAt: null,
      result: null,
      totalCostUsd: "0.0000"
    }
    put(run)
    return run
  }
  const cancel = (id: string): boolean => {
    const run = runs.get(id)
    if (run === undefined || run.finishedAt !== null) return false
    put({ ...run, status: "cancelled", finishedAt: new Date().toISOString() })
    return true
  }
  const details = (run: Run): RunDetails => ({
    ...run,
    browserId: run.finishedAt === null ? idOf(900_000) : null,
    attempt: 1,
    modelParams: null,
    outputSchema: run.result === null ? null : { type: "object", properties: { price: { type: "number" } } },
    budget: null,
    suggestions: null,
    liveUrl: null,
    recordingUrl: null,
    mark: marks.get(run.id) ?? null,
    shared: false
  })
  return {
    runs,
    order: () => order,
    keys,
    nodes,
    browsers,
    controls,
    marks,
    put,
    start,
    cancel,
    details,
    stepsOf: makeSteps,
    callsOf: makeCalls,
    tell,
    position: () => position,
    eventsAfter: (after: number) => events.filter(({ id }) => Number(id) > after),
    listen: (listener: (event: WorldEvent) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
}

/** A service with made-up records. */
export type World = ReturnType<typeof makeWorld>
