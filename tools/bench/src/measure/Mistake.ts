/** Something that the person at the keyboard can put right: its message is one sentence that says how. */
export class Mistake extends Error {
  override readonly name = "Mistake"
}
