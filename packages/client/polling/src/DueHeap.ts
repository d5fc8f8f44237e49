/** Something that is due at an instant. The heap alone writes both fields. */
export interface Due {
  due_ms: number
  /** Position in the heap; -1 outside of it. */
  place: number
}

/** A binary heap that returns the earliest item first. Items can be moved and removed. */
export class DueHeap<Item extends Due> {
  private readonly items: Array<Item> = []

  /** The earliest item. */
  get first(): Item | undefined {
    return this.items[0]
  }

  /** Puts an item in, or moves it. */
  set(item: Item, due_ms: number): void {
    item.due_ms = due_ms
    if (item.place < 0) item.place = this.items.push(item) - 1
    this.sink(this.rise(item.place))
  }

  /** Takes an item out, if it is in. */
  remove(item: Item): void {
    const { place } = item
    if (place < 0) return
    item.place = -1
    const last = this.items.pop()
    if (last === undefined || last === item) return
    this.put(last, place)
    this.sink(this.rise(place))
  }

  private put(item: Item, place: number) {
    this.items[place] = item
    item.place = place
  }

  private dueAt(place: number) {
    return this.items[place]?.due_ms ?? Number.POSITIVE_INFINITY
  }

  private swap(a: number, b: number) {
    const [one, other] = [this.items[a], this.items[b]]
    if (one === undefined || other === undefined) return
    this.put(one, b)
    this.put(other, a)
  }

  private rise(place: number): number {
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (this.dueAt(parent) <= this.dueAt(place)) break
      this.swap(place, parent)
      place = parent
    }
    return place
  }

  private sink(place: number): void {
    while (true) {
      const left = 2 * place + 1
      const earlier = this.dueAt(left) <= this.dueAt(left + 1) ? left : left + 1
      if (earlier >= this.items.length || this.dueAt(place) <= this.dueAt(earlier)) return
      this.swap(place, earlier)
      place = earlier
    }
  }
}
