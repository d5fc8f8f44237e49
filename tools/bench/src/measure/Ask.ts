import { apiKey, createRun } from "./ServerProcess.ts"

/** Headers of every request. */
export const headers = { "x-service-api-key": apiKey, "content-type": "application/json" }

/** The JSON of an answer. An answer that is not good is an error. */
export const ask = async <A>(url: string, method = "GET", body?: string): Promise<A> => {
  const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`)
  return JSON.parse(text) as A
}

/** Creates a run at a server; its id. */
export const createAt = async (url: string): Promise<string> => {
  const { id } = await ask<{ readonly id: string }>(`${url}${createRun.path}`, createRun.method, createRun.body)
  return id
}

/** The status of a run. */
export const statusAt = async (url: string, id: string): Promise<string> => {
  const { status } = await ask<{ readonly status: string }>(`${url}/api/v4/runs/${id}/status`)
  return status
}
