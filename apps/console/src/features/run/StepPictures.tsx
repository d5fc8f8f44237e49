import type { RunStep } from "@webagent/admin"
import styles from "./StepPictures.module.css"

/** Returns the address of a step's picture. */
export type PictureOf = (number: number) => string

interface StepPicturesProps {
  readonly step: RunStep
  readonly steps: ReadonlyArray<RunStep>
  readonly pictureOf: PictureOf
  /** True if no text is needed in place of missing pictures. */
  readonly isPreview?: boolean
}

/** The page before a step, and after it: an agent takes its picture before it acts, so the next step has the later one. */
export const StepPictures = ({ isPreview = false, pictureOf, step, steps }: StepPicturesProps) => {
  const next = steps.find(({ number }) => number === step.number + 1)
  const pictures = [
    ...(step.picture ? [["Before", step.number] as const] : []),
    ...(next?.picture === true ? [["After", next.number] as const] : [])
  ]
  if (pictures.length === 0) {
    const hasPictures = steps.some(({ picture }) => picture)
    return isPreview ? null : (
      <p className={styles["none"]}>
        {hasPictures
          ? "This step has no picture."
          : "This run has no pictures. A simulated run never has any, because it doesn't use a browser, and a replay has none either."}
      </p>
    )
  }
  return (
    <div className={styles["pictures"]}>
      {pictures.map(([name, number]) => (
        <figure key={name}>
          <a href={pictureOf(number)} target="_blank" rel="noopener noreferrer" tabIndex={isPreview ? -1 : 0}>
            <img
              src={pictureOf(number)}
              alt={`The page ${name.toLowerCase()} step ${step.number}`}
              width={640}
              height={400}
            />
          </a>
          <figcaption>{name}</figcaption>
        </figure>
      ))}
    </div>
  )
}
