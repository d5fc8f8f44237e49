import type { Picture as StepPicture } from "@webagent/report/Trace"
import { useLayoutEffect, useRef } from "react"
import { Untrusted } from "../../ui/Untrusted.tsx"
import styles from "./Picture.module.css"

/** A picture is drawn on a canvas, because the page's policy has no data: addresses. */
const draw = async (canvas: HTMLCanvasElement, jpeg: string): Promise<void> => {
  const bytes = Uint8Array.from(atob(jpeg), (character) => character.charCodeAt(0))
  const picture = await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }))
  canvas.width = picture.width
  canvas.height = picture.height
  canvas.getContext("2d")?.drawImage(picture, 0, 0)
  picture.close()
}

/** The browser of an agent at the start of a step. */
export const Picture = ({ of: { jpeg, number, summary } }: { readonly of: StepPicture }) => {
  const ref = useRef<HTMLCanvasElement>(null)
  useLayoutEffect(() => {
    // a damaged picture stays empty: its step is below it
    if (ref.current !== null) draw(ref.current, jpeg).catch(() => undefined)
  }, [jpeg])
  return (
    <figure className={styles["picture"]}>
      <canvas ref={ref} role="img" aria-label={`The browser at step ${number}`} />
      <figcaption>
        {number}. <Untrusted max={200}>{summary}</Untrusted>
      </figcaption>
    </figure>
  )
}
