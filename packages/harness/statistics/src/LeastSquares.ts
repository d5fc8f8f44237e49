/** The lower triangle of a matrix, row by row, whose product with its transpose is a covariance (Cholesky). */
export type Factor = ReadonlyArray<Float64Array>

/** Factors a positive definite matrix. */
export const factor = (size: number, of: (row: number, column: number) => number): Factor => {
  const rows: Array<Float64Array> = []
  for (let row = 0; row < size; row++) {
    const own = new Float64Array(row + 1)
    rows.push(own)
    for (let column = 0; column <= row; column++) {
      const other = rows[column] ?? own
      let left = of(row, column)
      for (let at = 0; at < column; at++) left -= (own[at] ?? 0) * (other[at] ?? 0)
      own[column] = row === column ? Math.sqrt(left) : left / (other[column] ?? 1)
    }
  }
  return rows
}

const whitened = (rows: Factor, values: ReadonlyArray<number>): Float64Array => {
  const white = new Float64Array(values.length)
  for (const [index, row] of rows.entries()) {
    let left = values[index] ?? 0
    for (let at = 0; at < index; at++) left -= (row[at] ?? 0) * (white[at] ?? 0)
    white[index] = left / (row[index] ?? 1)
  }
  return white
}

const product = (one: Float64Array, other: Float64Array) =>
  one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)

const logDiagonal = (rows: Factor) => rows.reduce((sum, row) => sum + Math.log(row.at(-1) ?? 1), 0)

/** The least-squares estimate of the last of some columns. */
export interface Fit {
  readonly estimate: number
  /** The deviation of the estimate, where the covariance is as it was given. */
  readonly error: number
  /** The unexplained part: as many squares as `freedom`, each 1 on average. */
  readonly squares: number
  readonly freedom: number
  /** Half the logarithm of the determinants by which a likelihood is divided, the columns integrated out. */
  readonly logDeterminant: number
}

/**
 * Generalized least squares: values as a sum of columns, with errors whose covariance is known by its factor (Aitken). The
 * columns must not depend on each other.
 */
export const generalized = (
  covariance: Factor,
  columns: ReadonlyArray<ReadonlyArray<number>>,
  values: ReadonlyArray<number>
): Fit => {
  const white = columns.map((column) => whitened(covariance, column))
  const target = whitened(covariance, values)
  const none = new Float64Array(values.length)
  const normal = factor(columns.length, (row, column) => product(white[row] ?? none, white[column] ?? none))
  const explained = whitened(
    normal,
    white.map((column) => product(column, target))
  )
  const error = 1 / (normal.at(-1)?.at(-1) ?? 1)
  return {
    estimate: (explained.at(-1) ?? 0) * error,
    error,
    // where the columns explain all, rounding may leave less than nothing
    squares: Math.max(0, product(target, target) - product(explained, explained)),
    freedom: values.length - columns.length,
    logDeterminant: logDiagonal(covariance) + logDiagonal(normal)
  }
}
