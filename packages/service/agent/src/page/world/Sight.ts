/** A part of the screen, in CSS pixels. */
export interface Clip {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Decides which parts of a page people can see. Runs in the page. */
export const sight = () => {
  const isClear = (color: string) => color === "rgba(0, 0, 0, 0)"

  /** Returns whether an element is drawn, or is about to be because it fades in. */
  const isSolid = ({ opacity }: CSSStyleDeclaration, element: Element) =>
    Number(opacity) >= 0.05 ||
    element.getAnimations().some(({ effect, playState }) => {
      const last =
        effect instanceof KeyframeEffect && playState === "running" ? effect.getKeyframes().at(-1) : undefined
      return Number(last?.["opacity"] ?? 0) >= 0.05
    })

  const misses = (box: DOMRect, clip: Clip) =>
    box.bottom < clip.top || box.top > clip.bottom || box.right < clip.left || box.left > clip.right

  const within = (clip: Clip, box: DOMRect): Clip => ({
    left: Math.max(clip.left, box.left - 2),
    top: Math.max(clip.top, box.top - 2),
    right: Math.min(clip.right, box.right + 2),
    bottom: Math.min(clip.bottom, box.bottom + 2)
  })

  /**
   * Returns whether people can read text of this style. They can't if it's transparent, tiny, or in its background's
   * color.
   */
  const isLegible = (style: CSSStyleDeclaration, background: string) =>
    Number.parseFloat(style.fontSize) >= 3 &&
    (style.backgroundClip.includes("text") || (!isClear(style.color) && style.color !== background))

  const backgroundOf = (style: CSSStyleDeclaration, around: string) =>
    style.backgroundImage === "none" ? (isClear(style.backgroundColor) ? around : style.backgroundColor) : ""

  return { isClear, isSolid, misses, within, isLegible, backgroundOf }
}

export type Sight = ReturnType<typeof sight>
