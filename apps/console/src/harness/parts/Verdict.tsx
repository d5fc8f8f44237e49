import * as VerdictText from "@webagent/findings/words/VerdictText"
import { marks, type State } from "../nights/heat.ts"
import styles from "./Verdict.module.css"

const nameOf = (verdict: string): State => (Object.hasOwn(marks, verdict) ? (verdict as State) : "unscored")

/** A verdict as a symbol, a color and a word. An unknown one is shown as it is. */
export const Verdict = ({ of, isBrief = false }: { readonly of: string; readonly isBrief?: boolean }) => {
  const [symbol, look] = marks[nameOf(of)]
  const word = VerdictText.word(of).slice(0, 40)
  return (
    <span className={`${styles["verdict"]} ${styles[look] ?? ""}`} title={isBrief ? word : undefined}>
      <span aria-hidden>{symbol}</span>
      <span className={isBrief ? "unseen" : undefined}>{word}</span>
    </span>
  )
}
