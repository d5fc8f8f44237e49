import { useAtomValue } from "../state/react.ts"
import { ago, moment, now } from "./format.ts"

/** A relative time; the exact one is its title. */
export const Time = ({ at }: { readonly at: string }) => {
  const now_ms = useAtomValue(now)
  return (
    <time dateTime={at} title={moment(at)}>
      {ago(at, now_ms)}
    </time>
  )
}

/** An exact time, followed by the relative one. */
export const Moment = ({ at }: { readonly at: string }) => (
  <>
    {moment(at)} (<Time at={at} />)
  </>
)
