import * as Effect from "effect/Effect"
import { epoch } from "../../state/live.ts"
import { useAtomValue } from "../../state/react.ts"
import { settled, valueOf } from "../../state/runs.ts"
import { Link } from "../../ui/Link.tsx"
import styles from "./Simulation.module.css"
import { Simulation } from "./simulation.state.ts"

/** True if service time stands still. It's read again when the journal has grown. */
const isStopped = Simulation.runtime.atom((get) => {
  get(epoch)
  get(settled("journal"))
  return Effect.map(
    Simulation.use(({ state }) => state.getTime()),
    ({ time }) => time.mode === "manual"
  )
})

/** Says why a run of the simulated service doesn't go on while service time stands still. */
const StoppedClock = () =>
  valueOf(useAtomValue(isStopped)) === true ? (
    <p role="note" className={styles["stopped"]}>
      The simulated service's clock is stopped, so this run is waiting. <Link to="/simulation">Advance the clock</Link>
    </p>
  ) : null

export default StoppedClock
