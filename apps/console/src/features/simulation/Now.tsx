import { useEffect, useState } from "react"
import { dateTime } from "../../ui/format.ts"
import { type ReadTime, serviceNow_ms } from "./simulation.state.ts"

/** The current service time, updated each second. */
export const Now = ({ time }: { readonly time: ReadTime }) => {
  const [page_ms, setPage] = useState(Date.now)
  const isStill = time.time.mode === "manual"
  useEffect(() => {
    if (isStill) return undefined
    const timer = window.setInterval(() => setPage(Date.now()), 1000)
    return () => window.clearInterval(timer)
  }, [isStill])
  const now_ms = serviceNow_ms(time, Math.max(page_ms, time.read_ms))
  return <time dateTime={new Date(now_ms).toISOString()}>{dateTime(now_ms)}</time>
}
