/** Tools of the clients of one API key. */
import type { Asked } from "./Oracle.ts"
import type { Body, Requests } from "./Requests.ts"

export interface Kit {
  readonly draw: () => number
  readonly requests: Requests
  /** Creates a run, a message or a browser, with a key, until there is a response. */
  readonly create: (kind: Asked["kind"], path: string, fields: object) => Promise<Body>
  /** Reads a run until it's over. */
  readonly ended: (id: string) => Promise<void>
  /** Runs that may fail, by the failure that they may have. */
  readonly mayFail: Map<string, string>
  /** Responses that break a promise. */
  readonly wrong: Array<string>
}
