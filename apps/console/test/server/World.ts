import type {
  Attachment,
  AuditEntry,
  Browser,
  Export,
  Key,
  Mark,
  ModelCall,
  Node,
  PastEvent,
  Run,
  RunDetails,
  RunShare,
  RunStep,
  ScheduleView,
  StartRun,
  WaitingFor,
  Webhook
} from "@webagent/admin"

/** Texts that would be markup, script or confusing if anything took them for more than text. */
export const hostile = [
  `<img src=x onerror="globalThis.pwned=1">`,
  `"><script>globalThis.pwned=1</script>`,
  `javascript:globalThis.pwned=1`,
  `{{constructor.constructor('globalThis.pwned=1')()}}`,
  `safe\u202egnp.exe\u202c \u200b\u0000`,
  `[link](javascript:globalThis.pwned=1) <svg/onload=globalThis.pwned=1>`
] as const

/** The time of the newest records. */
export const present_ms = Date.parse("2026-11-28T09:00:00Z")

const at = (ms: number) => new Date(present_ms + ms).toISOString()

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

const durationOf = (number: number) => 900 + ((number * 1733) % 6000)

/** Steps follow one another from the start of their run. */
const startOf = (run: Run, number: number) => {
  const before = Array.from({ length: number - 1 }, (_, index) => durationOf(index + 1))
  return new Date(Date.parse(run.startedAt ?? run.createdAt) + before.reduce((sum, ms) => sum + ms, 0)).toISOString()
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
      startedAt: startOf(run, number),
      durationMs: isLast && run.status === "running" ? null : durationOf(number),
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
    startedAt: startOf(run, index + 1),
    durationMs: 700 + index * 120,
    failure: null
  }))

/** The run whose browser was recorded. */
export const recordedRun = idOf(2)

/** The files that each finished run downloaded. */
const attachmentsOf = ({ finishedAt }: Run): ReadonlyArray<Attachment> =>
  finishedAt === null
    ? []
    : ["report.csv", hostile[0], hostile[4]].map((name, n) => ({
        id: idOf(960_000 + n),
        name,
        contentType: n === 1 ? "text/html" : "text/csv",
        sizeBytes: 1536 * 10 ** (n * 2)
      }))

/** The browser of the recorded run. It starts before its run, and stops with it. */
const recordedBrowser = (run: Run): Browser => ({
  id: idOf(950_002),
  status: "stopped",
  owner: run.owner,
  node: run.node,
  agentSessionId: run.sessionId,
  runId: null,
  task: null,
  title: null,
  address: null,
  driver: null,
  stopReason: "asked",
  recording: true,
  startedAt: run.createdAt,
  timeoutAt: null,
  finishedAt: run.finishedAt
})

/** An event as the console's socket sends it. */
export interface WorldEvent {
  readonly id: string
  readonly event: string
  readonly data: unknown
}

/** A service with made-up records, always the same. */
export const makeWorld = (size: number, browserCount = 3) => {
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
    lastUsedAt: null,
    usage: { runs: n, browsers: n, usdToday: (0.42 * n).toFixed(2) }
  }))
  const audit: Array<AuditEntry> = [
    {
      id: 1,
      at: at(-3_600_000),
      key: hostile[1],
      address: "127.0.0.1",
      action: "runs.cancel",
      targets: [hostile[0]],
      count: 1,
      status: 200
    }
  ]
  const schedules: Array<ScheduleView> = []
  const webhooks: Array<Webhook> = []
  const nodes: ReadonlyArray<Node> = ["node-a", "node-b"].map((name) => ({
    id: `${name}-1`,
    name,
    address: null,
    draining: name === "node-b",
    room: 6,
    sessions: 2,
    browsers: 2,
    startedAt: at(-3_600_000),
    ...(name === "node-a" ? { version: "0.1.0" } : {})
  }))
  const browsers = new Map<string, Browser>(
    Array.from({ length: browserCount }, (_, n) => [
      idOf(900_000 + n),
      {
        id: idOf(900_000 + n),
        status: "active",
        owner: ["shop", "support"][n % 2] ?? null,
        node: ["node-a", "node-b"][n % 2] ?? null,
        agentSessionId: n === 2 ? null : idOf(500_000),
        runId: n === 2 ? null : idOf(0),
        task: n === 2 ? null : (tasks[n % tasks.length] ?? null),
        title: n === 0 ? hostile[0] : "Flights to Rome",
        address: n === 0 ? hostile[2] : "https://maps.example/flights",
        driver: null,
        stopReason: null,
        recording: false,
        startedAt: at(-60_000),
        timeoutAt: null,
        finishedAt: null
      } satisfies Browser
    ])
  )
  const marks = new Map<string, Mark>()
  const events: Array<WorldEvent> = []
  /** The exports that pages noted. */
  const exports: Array<Export> = []
  const listeners = new Set<(event: WorldEvent) => void>()
  let shown: ReadonlyArray<string> = []
  /** The page opens in the middle of the log. */
  let position = 1000
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
  /** Gives control of a browser to a person, or back to its agent. */
  const drive = (id: string, driver: string | null) => {
    const browser = browsers.get(id)
    if (browser === undefined) return
    browsers.set(id, { ...browser, driver })
    tell("browser", { ...browser, driver })
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
  /** Has a run ask a person. */
  const ask = (id: string, waitingFor: Partial<WaitingFor> = {}): void => {
    const run = runs.get(id)
    if (run === undefined) return
    put({
      ...run,
      waitingFor: {
        id: "1",
        reason: "question",
        askedBy: "agent",
        question: `Which flight should I book? ${hostile[0]}`,
        choices: null,
        askedAt: at(0),
        deadline: at(600_000),
        whenUnanswered: "fail",
        pausesTimeLimit: false,
        ...waitingFor
      }
    })
  }
  /** The replays by the ids of their runs. */
  const replays = new Map<string, NonNullable<RunDetails["replay"]>>()
  /** Addresses that people with control opened. */
  const opened: Array<string> = []
  const answers: Array<string> = []
  /** Keys that browsers got from people while they had control. */
  const typed: Array<string> = []
  const answer = (run: Run, text: string): Run => {
    const answered = { ...run, waitingFor: null }
    answers.push(text)
    put(answered)
    return answered
  }
  const cancel = (id: string): boolean => {
    const run = runs.get(id)
    if (run === undefined || run.finishedAt !== null) return false
    put({ ...run, status: "cancelled", finishedAt: new Date().toISOString() })
    return true
  }
  const recorded = runs.get(recordedRun)
  if (recorded !== undefined) {
    const browser = recordedBrowser(recorded)
    browsers.set(browser.id, browser)
  }
  const shares = new Map<string, RunShare>()
  let links = 0
  const share = (runId: string): RunShare => {
    const token = `token-${++links}`
    const one = {
      runId,
      url: `http://public.example/share/runs/${runId}?token=${token}`,
      token,
      createdAt: at(0),
      expiresAt: at(30 * 86_400_000)
    }
    shares.set(runId, one)
    return one
  }
  /** Queues a task in the session of a run. */
  const queue = (of: Run, task: string): Run => {
    const run: Run = {
      ...makeRun(1),
      id: idOf(700_000 + ++made),
      status: "queued",
      task,
      tags: [],
      sessionId: of.sessionId,
      createdAt: new Date().toISOString()
    }
    put(run)
    return run
  }
  const details = (run: Run): RunDetails => ({
    ...run,
    // a run has a browser from its first step on
    browserId:
      run.finishedAt === null ? (run.steps > 0 ? idOf(900_000) : null) : run.id === recordedRun ? idOf(950_002) : null,
    attempt: 1,
    modelParams: null,
    attachedFileIds: null,
    profileId: null,
    outputSchema: run.result === null ? null : { type: "object", properties: { price: { type: "number" } } },
    budget: null,
    suggestions: null,
    liveUrl: null,
    recordingUrl: run.id === recordedRun ? `http://public.example/recordings/${idOf(950_002)}?token=t` : null,
    mark: marks.get(run.id) ?? null,
    replay: replays.get(run.id) ?? null,
    shared: shares.has(run.id)
  })
  return {
    runs,
    order: () => order,
    keys,
    nodes,
    audit,
    schedules,
    webhooks,
    browsers,
    drive,
    exports,
    marks,
    opened,
    replays,
    put,
    shares,
    share,
    start,
    queue,
    ask,
    answer,
    answers,
    typed,
    cancel,
    details,
    stepsOf: makeSteps,
    attachmentsOf,
    uploads: new Map<string, { readonly name: string; bytes: string | null }>(),
    /** The bodies of the runs that pages started. */
    created: [] as Array<StartRun>,
    callsOf: makeCalls,
    tell,
    /** The events before the page was opened, newest first. */
    log: [] as Array<PastEvent>,
    /** Fills the log with changes of the made-up runs. */
    remember: function (n: number) {
      const all = order.slice(0, n).flatMap((id) => runs.get(id) ?? [])
      this.log.push(
        ...all.map(({ id, owner, status, updatedAt }, index) => ({
          position: String(1000 - index),
          at: updatedAt,
          kind: "run" as const,
          id,
          step: null,
          owner,
          from: index % 2 === 0 ? "running" : null,
          to: status,
          control: null
        }))
      )
    },
    /** Sets the browsers whose pictures the page asks for. */
    show: (ids: ReadonlyArray<string>) => {
      shown = ids
    },
    shown: () => shown,
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
