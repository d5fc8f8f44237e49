/** The turns of one session that are not terminal: at most one at work, the others in the order they will run. */
export interface TurnQueue {
  readonly running: string | null
  readonly waiting: ReadonlyArray<string>
}

const nothing: ReadonlyArray<string> = []

/** A session at rest. */
export const empty: TurnQueue = { running: null, waiting: nothing }

/** Whether nothing runs and nothing waits. */
export const isEmpty = (queue: TurnQueue): boolean => queue.running === null && queue.waiting.length === 0

/** `turn` runs after everything that is there. */
export const append = (queue: TurnQueue, turn: string): TurnQueue => ({ ...queue, waiting: [...queue.waiting, turn] })

/** `turn` runs next, before everything that waits. The caller cancels what is running. */
export const prepend = (queue: TurnQueue, turn: string): TurnQueue => ({ ...queue, waiting: [turn, ...queue.waiting] })

/** The queue with its first waiting turn at work; unchanged while one is at work or when none waits. */
export const start = (queue: TurnQueue): TurnQueue => {
  const [first, ...waiting] = queue.waiting
  return queue.running !== null || first === undefined
    ? queue
    : { running: first, waiting: waiting.length === 0 ? nothing : waiting }
}

/** The queue after `turn` left it, from wherever it was. */
export const remove = (queue: TurnQueue, turn: string): TurnQueue => ({
  running: queue.running === turn ? null : queue.running,
  waiting: queue.waiting.filter((id) => id !== turn)
})

/** Every turn that is there, in the order in which they run. */
export const ids = (queue: TurnQueue): ReadonlyArray<string> =>
  queue.running === null ? queue.waiting : [queue.running, ...queue.waiting]
