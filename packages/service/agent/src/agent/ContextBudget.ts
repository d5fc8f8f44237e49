import * as AiError from "effect/ai/AiError"
import * as ModelError from "../model/ModelError.ts"

/** Limits the parts of a request that grow, in characters. */
export interface Parts {
  readonly page: number
  readonly past: number
  /** Limits the result of one call, as a part of the past. */
  readonly result: number
}

interface ContextBudgetOptions {
  /** The size of the model's context in tokens, if it's known. */
  readonly tokens: number | undefined
  /** The size of each request's instructions and tools, in characters. */
  readonly fixedChars: number
  /** Limits the text of a page, in characters. */
  readonly pageChars: number
  /** True if each request has a picture, which takes part of the context. */
  readonly hasPicture?: boolean
  /** Receives the size of the context that the server of a model named. */
  readonly learn: (model: string, tokens: number) => void
}

/** The longest result of a call. */
const usualResult = 9000

/** The characters of both parts if the model's context is unknown. */
const usualRoom = 80_000

/** The smallest room with which a page can be shown at all, in characters. */
const leastRoom = 3000

/** Tokens of a picture of the usual size at most, with most vendors. */
const pictureTokens = 1600

/** Limits the tokens that are left for a response. */
const responseTokens = 4000

/** Characters per token at least, in most languages. Where a page has fewer, the model's server refuses the request. */
const charsPerToken = 3

/** The part of a request that is sent again after it was too large. */
const shrinking = 0.6

/** Divides a model's context between the page and the past. */
export const make = ({ fixedChars, hasPicture = false, learn, pageChars, tokens }: ContextBudgetOptions) => {
  const roomOf = (tokens: number): number => {
    const forText = tokens - (hasPicture ? pictureTokens : 0) - Math.min(responseTokens, tokens / 4)
    return Math.max(leastRoom, forText * charsPerToken - fixedChars)
  }
  let room = tokens === undefined ? usualRoom : roomOf(tokens)
  let sent = room
  let refusing = ""
  return {
    parts: (): Parts => ({
      page: Math.floor(Math.min(pageChars, room / 2)),
      past: Math.floor(room / 2),
      result: Math.floor(Math.min(usualResult, room / 8))
    }),
    /** Notes the size of a request, in characters, before it is sent. */
    sending: (chars: number): void => void (sent = chars),
    /** Notes the model whose request failed last: it may be a fallback, whose context has another size. */
    failing: (model: string): void => void (refusing = model),
    /** Makes the parts smaller if a request failed because it was too large; false if they can't be smaller. */
    shrink: (error: unknown): boolean => {
      const overflow = AiError.isAiError(error) ? ModelError.overflowOf(error) : undefined
      if (overflow === undefined || room <= leastRoom) return false
      const { tokens: contextTokens } = overflow
      if (contextTokens !== undefined) learn(refusing, contextTokens)
      const fitting = contextTokens === undefined ? room : roomOf(contextTokens)
      // each time less, because the text may take more tokens than usual
      room = Math.max(leastRoom, fitting < room ? fitting : Math.min(room, sent) * shrinking)
      return true
    }
  }
}

/** The sizes of a task's requests. */
export type ContextBudget = ReturnType<typeof make>
