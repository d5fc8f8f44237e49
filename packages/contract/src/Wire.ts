/**
 * The contract's names and literals, without a single import.
 *
 * Load scripts run in an engine of their own, one copy of every module per virtual user, so what they need of
 * the contract has to cost nothing. `test/Wire.test.ts` compares this file with the OpenAPI documents.
 */

/** The header that carries the API key. Deployments differ: clients can rename it. */
export const apiKeyHeader = "X-Service-API-Key"

/** The request header that makes a create safe to repeat. The description doesn't show it. */
export const idempotencyKeyHeader = "Idempotency-Key"

/** Path of each version below a deployment's address; the description's `{base_url}` ends with it. */
export const basePath = { v2: "/api/v2", v3: "/api/v3", v4: "/api/v4" } as const

/** One of the three API versions that are published side by side. */
export type ApiVersion = keyof typeof basePath

declare const open: unique symbol

/**
 * A status that is not known to this version of the contract. At run time it is the text that the service sent; as a
 * type it is none of the known literals, so that `status === "complete"`, misspelt, is a type error. To compare one
 * that only you know, take it as text: `const text: string = run.status`.
 */
export type OpenStatus = `?${string}` & { readonly [open]: "a status that is not known" }

/** v2 SessionStatus, as described. */
export const sessionStatuses = ["active", "stopped"] as const

/** v2 TaskStatus, as described. */
export const taskStatuses = ["created", "started", "finished", "failed", "stopped"] as const

/** v2 TaskStatus values after which nothing more happens to a task. */
export const terminalTaskStatuses = ["finished", "failed", "stopped"] as const

/** v3 session statuses of our server; the description shows none. */
export const v3SessionStatuses = ["created", "running", "idle", "stopped", "timed_out", "error"] as const

/** v3 session statuses after which a result will not change by itself. */
export const terminalV3SessionStatuses = ["idle", "stopped", "timed_out", "error"] as const

/** v4 run statuses: the last three are described, the others are our server's. */
export const runStatuses = ["queued", "dispatching", "running", "completed", "failed", "cancelled"] as const

/** v4 run statuses after which nothing more happens to a run. */
export const terminalRunStatuses = ["completed", "failed", "cancelled"] as const

/** Types of a v4 run's events that our server sends. Published clients also know `run.dispatch_failed`. */
export const runEventTypes = [
  "run.queued",
  "run.dispatching",
  "run.running",
  "run.completed",
  "run.failed",
  "run.cancelled",
  "run.step.started",
  "run.step.succeeded",
  "run.step.failed",
  "run.control.taken",
  "run.control.released",
  "run.control.expired",
  "run.browser.waiting",
  "run.waiting",
  "run.answered",
  "run.unanswered"
] as const

/** v4 browser statuses of our server; the description shows none. */
export const browserStatuses = ["active", "stopped"] as const

/** Modes of a v4 message: it waits for its turn, or interrupts the running one. */
export const messageModes = ["queue", "interrupt"] as const

/** Statuses of a v4 message. Only a pending one can be removed. */
export const messageStatuses = ["pending", "dispatching", "consumed", "cancelled", "superseded", "failed"] as const

/** The only value of a browser PATCH's `action` that the description shows. */
export const stopAction = "stop"

/** The action that saves the profile of a browser. The description doesn't show it. */
export const saveAction = "save"

/** The described operations of v2: method, and path relative to `{base_url}` with the description's parameter names. */
export const v2Operations = {
  getSession: { method: "GET", path: "/sessions/{session_id}" }
} as const

/** The described operations of v3. */
export const v3Operations = {
  createSession: { method: "POST", path: "/sessions" },
  getSession: { method: "GET", path: "/sessions/{session_id}" }
} as const

/** The described operations of v4. */
export const v4Operations = {
  createRun: { method: "POST", path: "/runs" },
  getRunStatus: { method: "GET", path: "/runs/{run_id}/status" },
  getRun: { method: "GET", path: "/runs/{run_id}" },
  queueMessage: { method: "POST", path: "/sessions/{session_id}/queue" },
  createBrowser: { method: "POST", path: "/browsers" },
  updateBrowser: { method: "PATCH", path: "/browsers/{browser_id}" }
} as const

/** The described operations by version; a client of one version has its own alone. */
export const operations = { v2: v2Operations, v3: v3Operations, v4: v4Operations } as const

/** Ways to stop a v3 session: cancel its tasks and keep it, or stop it for good. */
export const stopStrategies = ["task", "session"] as const

/** The actions of a v2 task's PATCH. */
export const taskActions = ["stop", "stop_task_and_session"] as const

/** The operations on browsers that the description doesn't show for any version. */
export const browserOperations = {
  listBrowsers: { method: "GET", path: "/browsers" },
  getBrowser: { method: "GET", path: "/browsers/{browser_id}" }
} as const

/** The operation on the files that a browser has downloaded. The description doesn't show it. */
export const downloadOperations = {
  listDownloads: { method: "GET", path: "/browsers/{browser_id}/downloads" }
} as const

/** The operations on browser profiles that the description doesn't show. */
export const profileOperations = {
  listProfiles: { method: "GET", path: "/profiles" },
  createProfile: { method: "POST", path: "/profiles" },
  getProfile: { method: "GET", path: "/profiles/{profile_id}" },
  updateProfile: { method: "PATCH", path: "/profiles/{profile_id}" },
  deleteProfile: { method: "DELETE", path: "/profiles/{profile_id}" }
} as const

/** The operations on workspaces and their files that the description doesn't show. */
export const workspaceOperations = {
  createWorkspace: { method: "POST", path: "/workspaces" },
  getWorkspace: { method: "GET", path: "/workspaces/{workspace_id}" },
  updateWorkspace: { method: "PATCH", path: "/workspaces/{workspace_id}" },
  deleteWorkspace: { method: "DELETE", path: "/workspaces/{workspace_id}" },
  getWorkspaceSize: { method: "GET", path: "/workspaces/{workspace_id}/size" },
  listFiles: { method: "GET", path: "/workspaces/{workspace_id}/files" },
  uploadFiles: { method: "POST", path: "/workspaces/{workspace_id}/files/upload" },
  deleteFile: { method: "DELETE", path: "/workspaces/{workspace_id}/files" }
} as const

/** The operation on the account of an API key that the description doesn't show. */
export const accountOperations = { getAccount: { method: "GET", path: "/billing/account" } } as const

/** Operations of v2 on tasks and sessions that the description doesn't show. */
export const taskOperations = {
  createTask: { method: "POST", path: "/tasks" },
  listTasks: { method: "GET", path: "/tasks" },
  getTask: { method: "GET", path: "/tasks/{task_id}" },
  getTaskStatus: { method: "GET", path: "/tasks/{task_id}/status" },
  updateTask: { method: "PATCH", path: "/tasks/{task_id}" },
  createSession: { method: "POST", path: "/sessions" },
  listSessions: { method: "GET", path: "/sessions" },
  updateSession: { method: "PATCH", path: "/sessions/{session_id}" },
  deleteSession: { method: "DELETE", path: "/sessions/{session_id}" },
  purgeSession: { method: "POST", path: "/sessions/{session_id}/purge" },
  getShare: { method: "GET", path: "/sessions/{session_id}/public-share" },
  shareSession: { method: "POST", path: "/sessions/{session_id}/public-share" },
  unshareSession: { method: "DELETE", path: "/sessions/{session_id}/public-share" }
} as const

// in functions: a spread at the top of a module stays in every bundle

/** All operations on browsers. The description shows two of them, and these in v4 only. */
export const allBrowserOperations = /* @__PURE__ */ (() =>
  ({
    createBrowser: { method: "POST", path: "/browsers" },
    updateBrowser: { method: "PATCH", path: "/browsers/{browser_id}" },
    ...browserOperations,
    ...downloadOperations
  }) as const)()

/** Operations of v2 that the description doesn't show, as published clients call them. A service may lack them. */
export const v2Extensions = /* @__PURE__ */ (() =>
  ({ ...taskOperations, ...allBrowserOperations, ...profileOperations, ...accountOperations }) as const)()

/** Operations of v3 that the description doesn't show, as published clients call them. A service may lack them. */
export const v3Extensions = /* @__PURE__ */ (() =>
  ({
    listSessions: { method: "GET", path: "/sessions" },
    stopSession: { method: "POST", path: "/sessions/{session_id}/stop" },
    deleteSession: { method: "DELETE", path: "/sessions/{session_id}" },
    listMessages: { method: "GET", path: "/sessions/{session_id}/messages" },
    ...allBrowserOperations,
    ...profileOperations,
    listWorkspaces: { method: "GET", path: "/workspaces" },
    ...workspaceOperations,
    ...accountOperations
  }) as const)()

/** The operations on v4 runs that the description doesn't show. */
export const runOperations = {
  listRuns: { method: "GET", path: "/runs" },
  cancelRun: { method: "POST", path: "/runs/{run_id}/cancel" },
  listEvents: { method: "GET", path: "/runs/{run_id}/events" },
  listAttachments: { method: "GET", path: "/runs/{run_id}/attachments" }
} as const

/** The operations of our server on runs that wait for people. */
export const handOffOperations = {
  askPerson: { method: "POST", path: "/runs/{run_id}/ask" },
  answerRun: { method: "POST", path: "/runs/{run_id}/answer" }
} as const

/** The operations on v4 sessions that the description doesn't show. */
export const sessionOperations = {
  listSessions: { method: "GET", path: "/sessions" },
  getSession: { method: "GET", path: "/sessions/{session_id}" },
  purgeSession: { method: "POST", path: "/sessions/{session_id}/purge" },
  listMessages: { method: "GET", path: "/sessions/{session_id}/queue" },
  getMessage: { method: "GET", path: "/sessions/{session_id}/queue/{message_id}" },
  removeMessage: { method: "DELETE", path: "/sessions/{session_id}/queue/{message_id}" }
} as const

/**
 * Operations of v4 that the description doesn't show, as published clients call them. A service may lack them: it
 * responds with 404 or 405.
 */
export const v4Extensions = /* @__PURE__ */ (() =>
  ({
    ...runOperations,
    ...sessionOperations,
    ...browserOperations,
    ...downloadOperations,
    ...profileOperations,
    ...workspaceOperations,
    ...accountOperations
  }) as const)()

/** The operations that the description doesn't show, by version. */
export const extensions = /* @__PURE__ */ (() =>
  ({ v2: v2Extensions, v3: v3Extensions, v4: { ...v4Extensions, ...handOffOperations } }) as const)()

/** Every operation by version: the described ones and the extensions. */
export const allOperations = /* @__PURE__ */ (() =>
  ({
    v2: { ...v2Operations, ...v2Extensions },
    v3: { ...v3Operations, ...v3Extensions },
    v4: { ...v4Operations, ...v4Extensions }
  }) as const)()

/** True if an operation creates something: a POST, unless it ends or deletes what is there. */
export const isCreate = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  method === "POST" && !/\/(?:cancel|purge|stop)$/u.test(path)

/** The request header that asks for a deduplicated message, with one of `deduplications` as its value. */
export const deduplicateHeader = "X-V4-Queue-Deduplicate"

/**
 * Ways to deduplicate a queued message. With `exact-text-v1`, a session's pending message with the same text and mode is
 * returned instead of a second one.
 */
export const deduplications = ["exact-text-v1"] as const
