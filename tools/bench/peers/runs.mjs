/** The records of the hand-written servers: runs that end by themselves, each in a session of its own. */
import { randomUUID } from "node:crypto"

/** Runs take `duration_ms`; there is no bound on how many are kept, as with ours. */
export const makeRuns = (duration_ms) => {
  const runs = new Map()
  const sessions = new Map()
  return {
    find: (id) => runs.get(id),
    create: (task) => {
      const run = {
        id: randomUUID(),
        sessionId: randomUUID(),
        status: "queued",
        task,
        modelParams: null,
        result: null,
        error: null,
        createdAt: new Date().toISOString(),
        startedAt: null,
        finishedAt: null,
        cost: "0"
      }
      runs.set(run.id, run)
      sessions.set(run.sessionId, run)
      setImmediate(() => {
        run.status = "running"
        run.startedAt = new Date().toISOString()
        setTimeout(() => {
          run.status = "completed"
          run.result = "Done"
          run.finishedAt = new Date().toISOString()
          run.cost = "0.0123"
        }, duration_ms)
      })
      return run
    },
    session: (id) => {
      const run = sessions.get(id)
      if (run === undefined) return undefined
      return {
        id,
        status: "active",
        liveUrl: null,
        recordingUrl: null,
        startedAt: run.createdAt,
        finishedAt: null,
        tasks: [
          {
            id: run.id,
            sessionId: id,
            llm: "simulated",
            task: run.task,
            status: run.finishedAt === null ? "started" : "finished",
            createdAt: run.createdAt.slice(0, -1),
            startedAt: run.startedAt?.slice(0, -1) ?? null,
            finishedAt: run.finishedAt?.slice(0, -1) ?? null,
            metadata: {},
            output: run.result,
            serviceVersion: null,
            isSuccess: run.finishedAt === null ? null : true,
            judgement: null,
            judgeVerdict: null,
            cost: run.cost,
            suggestions: null
          }
        ],
        publicShareUrl: null,
        persistMemory: true,
        keepAlive: true,
        proxyUsedMb: "0",
        proxyCost: "0"
      }
    }
  }
}
