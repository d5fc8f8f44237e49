import { span, usd } from "../../ui/format.ts"
import { Link } from "../../ui/Link.tsx"
import { Time } from "../../ui/Time.tsx"
import { Untrusted } from "../../ui/Untrusted.tsx"
import { addressOf, statusOf } from "./heads.ts"
import type { Night } from "./heat.ts"
import { titleOf } from "./title.ts"
import styles from "./NightsScreen.module.css"

/** The newest night in a line. */
const Tonight = ({ night }: { readonly night: Night }) => (
  <>
    <span className={styles["status"]} data-status={night.of.isAway ? "failed" : (night.of.status ?? "none")}>
      {statusOf(night)}
    </span>
    <Link to={addressOf(night)}>
      <Untrusted max={200}>{titleOf(night)}</Untrusted>
    </Link>
    <span>
      <Time at={night.of.startedAt} /> · {span(night.of.duration_ms)} · {usd(night.of.cost_usd)}
      {night.of.target === "simulated" ? " simulated" : ""}
    </span>
  </>
)

export default Tonight
