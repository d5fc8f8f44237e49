import { controlKeyHeader, controlPath } from "@webagent/control"

/** What our server itself knows of what it was asked for. */
export interface Findings {
  /** How often each oracle found something; 0 is as it should be. */
  readonly verdicts: Readonly<Record<string, number>>
  /** Browsers that are not stopped. */
  readonly browsersOpen: number
  /** Runs that are not over. */
  readonly turnsOpen: number
}

/** Asks the control API of a server on a port of this machine. */
export const findings = async (port: number, key: string): Promise<Findings> => {
  const ask = async <A>(path: string): Promise<A> => {
    const answer = await fetch(`http://127.0.0.1:${port}${controlPath}${path}`, {
      headers: { [controlKeyHeader]: key }
    })
    if (!answer.ok) throw new Error(`The control API answers ${answer.status} to ${path}`)
    return (await answer.json()) as A
  }
  const { verdicts } = await ask<{ verdicts: ReadonlyArray<{ oracle: string; count: number }> }>("/verdicts")
  const { browsers, turns } = await ask<Record<"browsers" | "turns", ReadonlyArray<unknown>>>("/open")
  return {
    verdicts: Object.fromEntries(verdicts.map(({ count, oracle }) => [oracle, count])),
    browsersOpen: browsers.length,
    turnsOpen: turns.length
  }
}
