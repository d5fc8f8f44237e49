/** A run, as webhooks describe it. Read its result with `GET /runs/{id}`. */
export interface WebhookRun {
  readonly id: string
  readonly sessionId: string
  readonly status: string
  /** The reason why it failed; it may quote pages. */
  readonly error: string | null
  /** USD, as an exact decimal; null if the cost isn't known. */
  readonly cost: string | null
  readonly tags: ReadonlyArray<string>
  /** An instant in UTC, as RFC 3339 has it, like every time below. */
  readonly createdAt: string | null
  readonly finishedAt: string | null
}

/** A run with a question to a person, as webhooks describe it. */
export interface WebhookQuestion extends WebhookRun {
  /** The question's id: the same when it's asked and when it has an outcome. */
  readonly questionId: string
}

/** A browser, as webhooks describe it. */
export interface WebhookBrowser {
  readonly id: string
  /** The session whose agent used it; null for a browser that your code drives. */
  readonly sessionId: string | null
  /** The reason why it stopped, such as `asked`, `expired` or `crashed`. */
  readonly reason: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly startedAt: string | null
  readonly finishedAt: string | null
}

/** The spending of an API key on one UTC day that reached a share of its daily limit. */
export interface WebhookSpending {
  /** Name of the key. */
  readonly key: string
  /** The day, such as `2026-11-28`. */
  readonly day: string
  /** The share of the limit: 80 or 100. */
  readonly percent: number
  /** USD, as exact decimals. */
  readonly spent: string
  readonly limit: string
}

interface Message<Type extends string, Data> {
  readonly type: Type
  /** The time of the change. */
  readonly timestamp: string
  readonly data: Data
}

/**
 * The body of a webhook. A newer server may send types that aren't listed here, so a `switch` over `type` should ignore
 * those that it doesn't know.
 *
 * @example
 * ```ts
 * import type { WebhookEvent } from "@webagent/contract"
 *
 * export const describe = (event: WebhookEvent): string =>
 *   event.type === "run.completed" ? `Run ${event.data.id} cost ${event.data.cost} USD` : event.type
 * ```
 */
export type WebhookEvent =
  | Message<"run.completed" | "run.failed" | "run.cancelled", WebhookRun>
  | Message<"run.waiting" | "run.answered" | "run.unanswered", WebhookQuestion>
  | Message<"browser.stopped", WebhookBrowser>
  | Message<"spend.alert", WebhookSpending>
  | Message<"webhook.test", { readonly webhookId: string }>
