/** The version of this package; `test/Version.test.ts` compares it with package.json. */
export const version = "0.0.0"
