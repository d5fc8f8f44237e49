/** An app that places orders through the service with plain fetch. It has no code for tests. */
import { setTimeout as pause } from "node:timers/promises"

export interface Service {
  /** Such as `https://service.example/api/v4`. */
  readonly baseUrl: string
  readonly apiKey: string
}

export interface Run {
  readonly id: string
  readonly status: string
  readonly result?: unknown
}

/** The service refused the request, so a retry doesn't help. */
export class Refused extends Error {}

const patience_ms = 30_000
const tries = 8
const betweenPolls_ms = 50

const send = async <Result>(
  { apiKey, baseUrl }: Service,
  method: string,
  path: string,
  body?: unknown,
  key?: string
): Promise<Result> => {
  for (let attempt = 1; ; attempt++) {
    let wait_ms = 100 * attempt
    try {
      const response = await fetch(`${baseUrl}${path}`, {
        method,
        headers: {
          "Content-Type": "application/json",
          "X-Service-API-Key": apiKey,
          ...(key === undefined ? {} : { "Idempotency-Key": key })
        },
        body: body === undefined ? null : JSON.stringify(body),
        redirect: "error",
        signal: AbortSignal.timeout(patience_ms)
      })
      if (response.ok) return (await response.json()) as Result
      if (response.status !== 429 && response.status < 500) throw new Refused(`${response.status} for ${path}`)
      wait_ms = Math.max(wait_ms, 1000 * Number(response.headers.get("Retry-After") ?? 0))
    } catch (error) {
      if (error instanceof Refused || attempt === tries) throw error
    }
    await pause(wait_ms)
  }
}

/** Orders an item and waits for the result. */
export const place = async (service: Service, order: string, item: string): Promise<Run> => {
  // the key is made from the order, so a retry gets the existing run, even after a crash
  const { id } = await send<Run>(service, "POST", "/runs", { task: `Buy ${item}` }, `order-${order}`)
  for (;;) {
    const { status } = await send<Run>(service, "GET", `/runs/${id}/status`)
    if (["completed", "failed", "cancelled"].includes(status)) return send(service, "GET", `/runs/${id}`)
    await pause(betweenPolls_ms)
  }
}

/** Starts a browser for `use`, and always stops it. */
export const withBrowser = async <A>(service: Service, name: string, use: (cdpUrl: string) => Promise<A>) => {
  const key = `browser-${name}`
  const browser = await send<{ readonly id: string; readonly cdpUrl: string }>(service, "POST", "/browsers", {}, key)
  try {
    return await use(browser.cdpUrl)
  } finally {
    await send(service, "PATCH", `/browsers/${browser.id}`, { action: "stop" })
  }
}
