/** Calls again as soon as it is answered, `concurrency` at a time, for a while; gives how often. */
export const closedLoop = (call) => async (concurrency, duration_ms) => {
  const end = performance.now() + duration_ms
  let calls = 0
  const one = async () => {
    while (performance.now() < end) {
      await call()
      calls++
    }
  }
  await Promise.all(Array.from({ length: concurrency }, one))
  return calls
}

/** Waits for all of them at once, telling how each has ended. */
export const waitEach = (wait) => (ids, onEnd, onFailure) => {
  for (const id of ids) wait(id).then(onEnd, onFailure)
}
