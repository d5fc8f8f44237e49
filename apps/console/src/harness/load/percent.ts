/** A share in percent, such as `0.12 %`. */
export const percent = (share: number): string => `${Number((share * 100).toPrecision(3))} %`
