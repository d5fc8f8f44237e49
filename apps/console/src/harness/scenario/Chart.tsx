import type { Group } from "./trend.ts"
import styles from "./Chart.module.css"

interface ChartProps {
  readonly label: string
  readonly groups: ReadonlyArray<Group>
  /** Greatest value of the axis; the greatest of the groups if it's missing. */
  readonly most?: number
  readonly write: (value: number) => string
}

const [width, height] = [1000, 120]

const dayOf = ({ from, nights, to }: Group): string =>
  nights === 1 ? from.slice(0, 10) : `${from.slice(0, 10)} to ${to.slice(0, 10)}, ${nights} nights`

/** A figure over time with its intervals, and the same as a table for those who can't see it. */
export const Chart = ({ groups, label, most, write }: ChartProps) => {
  const top = Math.max(most ?? Math.max(...groups.map(({ high }) => high)), Number.MIN_VALUE)
  const step = width / Math.max(1, groups.length)
  const x = (index: number) => (index + 0.5) * step
  const y = (value: number) => height - (Math.min(value, top) / top) * height
  const line = groups.map(({ value }, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(" ")
  const [first, last] = [groups[0], groups.at(-1)]
  return (
    <figure className={styles["chart"]}>
      <figcaption>
        <b>{label}</b>
        {last === undefined ? null : (
          <span>
            {write(last.value)}
            {last.text === write(last.value) ? null : <small>{` ${last.text}`}</small>}
          </span>
        )}
      </figcaption>
      <div className={styles["plot"]}>
        <div className={styles["axis"]} aria-hidden>
          <span>{write(top)}</span>
          <span>{write(0)}</span>
        </div>
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden>
          <line x1={0} x2={width} y1={height} y2={height} data-as="axis" />
          <line x1={0} x2={width} y1={0} y2={0} data-as="axis" />
          {groups.map(({ high, low, text, value, ...at }, index) => (
            <g key={at.from}>
              <rect
                data-as="interval"
                x={x(index) - Math.min(7, step * 0.38)}
                width={Math.min(14, step * 0.76)}
                y={y(high)}
                height={Math.max(2, y(low) - y(high))}
              />
              <rect
                data-as="value"
                x={x(index) - Math.min(7, step * 0.38)}
                width={Math.min(14, step * 0.76)}
                y={y(value) - 1.5}
                height={3}
              />
              <rect data-as="hit" x={index * step} width={step} y={0} height={height}>
                <title>{`${dayOf({ high, low, text, value, ...at })}: ${text}`}</title>
              </rect>
            </g>
          ))}
          <polyline points={line} data-as="line" />
        </svg>
      </div>
      {first === undefined || last === undefined ? null : (
        <div className={styles["ends"]} aria-hidden>
          <span>{first.from.slice(0, 10)}</span>
          <span>{last.to.slice(0, 10)}</span>
        </div>
      )}
      <table className="unseen">
        <caption>{label}</caption>
        <tbody>
          {groups.map((group) => (
            <tr key={group.from}>
              <th scope="row">{dayOf(group)}</th>
              <td>{group.text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}
