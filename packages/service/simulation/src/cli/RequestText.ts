import { plain, type Style } from "@webagent/cli/Style"
import { duration } from "@webagent/cli/Text"
import type { Request as Logged } from "./ServeOutput.ts"

/** The fields of a request that its line shows. */
type Request = Omit<Logged, "at" | "operation" | "type">

const ids = /([\da-f]{8})(?:-[\da-f]{4}){3}-[\da-f]{12}/gu

const endings = { whole: undefined, part: "response cut", none: "no response", left: "client disconnected" } as const

const faultOf = ({ kind, placement, rule }: NonNullable<Request["fault"]>) =>
  `fault ${rule.startsWith(kind) ? rule : `${rule}: ${kind}`}${placement === null ? "" : ` ${placement}`}`

const notesOf = ({ answered, fault, path, resource, retryAfter_ms }: Request, style: Style): ReadonlyArray<string> => {
  const ending = endings[answered]
  return [
    ...(resource === null || path.toLowerCase().includes(resource) ? [] : [`created ${resource}`]),
    ...(fault === null ? [] : [style.warning(faultOf(fault))]),
    ...(ending === undefined ? [] : [style.bad(ending)]),
    ...(retryAfter_ms === null ? [] : [`retry after ${duration(retryAfter_ms)}`])
  ]
}

const markOf = (status: number | null): keyof Style =>
  status === null || status >= 500 ? "bad" : status >= 400 ? "warning" : "good"

const lineOf = (request: Request, style: Style) => {
  const { duration_ms, method, path, status } = request
  const answer = style[markOf(status)](String(status ?? "-").padStart(3))
  return [method.padEnd(6), answer, duration(duration_ms).padStart(7), path, ...notesOf(request, style)].join("  ")
}

/**
 * Formats a request as a line. If the line is wider than the terminal, ids are cut to their first digits.
 *
 * @param request - The request. Its duration is in milliseconds.
 * @param options - The width of the terminal in characters, and the colors.
 * @returns The line.
 * @example
 * ```ts
 * import { plain } from "@webagent/cli/Style"
 * import { requestLine } from "@webagent/simulation/RequestText"
 * import type { Request } from "@webagent/simulation/ServeOutput"
 *
 * export const print = (request: Request) => console.log(requestLine(request, { columns: 120, style: plain }))
 * ```
 */
export const requestLine = (
  request: Request,
  { columns, style }: { readonly columns: number | undefined; readonly style: Style }
): string => {
  const isWide = columns !== undefined && lineOf(request, plain).length > columns
  const line = lineOf(request, style)
  return isWide ? line.replaceAll(ids, "$1…") : line
}
