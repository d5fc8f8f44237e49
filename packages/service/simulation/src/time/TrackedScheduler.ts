import * as Effect from "effect/Effect"
import type * as Scheduler from "effect/Scheduler"

/** A scheduler that can tell when all that one act has caused is done. */
export interface TrackedScheduler {
  readonly scheduler: Scheduler.Scheduler
  /** Acts, and ends when everything that the act scheduled, and everything that scheduled, has run. */
  readonly settled: (act: () => void) => Effect.Effect<void>
  /** Returns the number of tasks that have run for the current wait. */
  readonly ran: () => number
  /** Waits no longer for what was begun: `settled` ends. */
  readonly giveUp: () => void
}

interface Wave {
  pending: number
  ran: number
  over: (() => void) | undefined
}

/** Schedules as `parent` does. While a caller waits for that, it counts what one action leads to. */
export const make = (parent: Scheduler.Scheduler): TrackedScheduler => {
  let current: Wave | undefined
  /** The one that a caller waits for. */
  let awaited: Wave | undefined

  const within = (wave: Wave, run: () => void) => {
    const outer = current
    current = wave
    try {
      run()
    } finally {
      current = outer
    }
  }

  const settled = (act: () => void): Effect.Effect<void> =>
    Effect.suspend(() => {
      const wave: Wave = { pending: 0, ran: 0, over: undefined }
      within(wave, act)
      if (wave.pending === 0) return Effect.void
      return Effect.callback<void>((resume) => {
        if (wave.pending === 0) return resume(Effect.void)
        awaited = wave
        wave.over = () => resume(Effect.void)
        return Effect.sync(() => (wave.over = undefined))
      })
    })

  return {
    settled,
    ran: () => awaited?.ran ?? 0,
    giveUp: () => awaited?.over?.(),
    scheduler: {
      executionMode: parent.executionMode,
      shouldYield: (fiber) => parent.shouldYield(fiber),
      makeDispatcher: () => {
        const dispatcher = parent.makeDispatcher()
        return {
          scheduleTask: (task, priority) => {
            const wave = current
            if (wave === undefined) return dispatcher.scheduleTask(task, priority)
            wave.pending++
            return dispatcher.scheduleTask(() => {
              try {
                within(wave, task)
              } finally {
                wave.ran++
                wave.pending--
                if (wave.pending === 0) wave.over?.()
              }
            }, priority)
          },
          flush: () => dispatcher.flush()
        }
      }
    }
  }
}
