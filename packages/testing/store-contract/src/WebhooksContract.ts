import { assert, describe } from "@effect/vitest"
import {
  KeyTaken,
  type NewDelivery,
  type Taken,
  type Webhook,
  webhookLimits,
  Webhooks,
  type WebhooksService
} from "@webagent/engine"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { as, type PortTest, portTest, tagOf } from "./PortTest.ts"

const fields = {
  url: "https://app.example/hooks",
  description: null,
  events: ["run.completed", "browser.stopped"],
  everyKey: false
} as const

const message = ({ id, owner }: Webhook, subject: string, rest: Partial<NewDelivery> = {}): NewDelivery => ({
  hookId: id,
  owner,
  messageId: `msg_${subject}`,
  type: "run.completed",
  subject,
  once: null,
  body: `{"type":"run.completed","data":{"id":"${subject}"}}`,
  createdAt_ms: 1000,
  ...rest
})

const subjectsOf = (taken: Taken | null) => taken?.deliveries.map(({ subject }) => subject) ?? null

const minute_ms = 60_000

/** Takes messages as a sender that sends none yet. */
const take = (webhooks: WebhooksService, limit = 9, lease_ms = minute_ms) => webhooks.take(lease_ms, limit, new Map())

const delivered = { status: "delivered", wait_ms: 0, response: 200, error: null } as const
const failed = (wait_ms: number) =>
  ({ status: "queued", wait_ms, response: 503, error: "The response was 503" }) as const

type Test = PortTest<WebhooksService>

const testOwners = (test: Test) => {
  test("creates, updates and deletes webhooks, and shows each owner only its own", function* (webhooks) {
    const first = yield* as("a")(webhooks.create(fields, 7))
    const second = yield* as("b")(webhooks.create(fields, 8))
    assert.deepInclude(first, { ...fields, owner: "a", isActive: true, secretVersion: 1, after: 7 })
    const idsOf = (owner: string | null) => as(owner)(Effect.map(webhooks.list, (all) => all.map(({ id }) => id)))
    assert.deepStrictEqual(yield* idsOf("a"), [first.id])
    assert.deepStrictEqual(yield* idsOf(null), [first.id, second.id])
    const changed = yield* as("a")(webhooks.update(first.id, { isActive: false, description: "CI" }))
    assert.deepInclude(changed, { id: first.id, url: fields.url, isActive: false, description: "CI" })
    assert.deepStrictEqual(yield* as("a")(webhooks.find(first.id)), changed)
    assert.deepStrictEqual(yield* webhooks.active, [second])
    yield* webhooks.advance(0, 1, [message(first, "r1")])
    const rotated = yield* as("a")(webhooks.rotate(first.id, 5))
    assert.deepInclude(rotated, { id: first.id, description: "CI", secretVersion: 2 })
    const made = { _tag: "Webhook", webhook: rotated } as const
    const taken = new KeyTaken({ record: { key: "k", body: "b", createdAt_ms: 0, made } })
    assert.strictEqual(yield* tagOf(as("a")(webhooks.rotate(first.id, 5, () => taken))), "KeyTaken")
    assert.deepStrictEqual(yield* as("a")(webhooks.find(first.id)), rotated)
    for (const use of [
      webhooks.find(first.id),
      webhooks.rotate(first.id, 5),
      webhooks.update(first.id, { isActive: true }),
      webhooks.remove(first.id),
      webhooks.deliveries(first.id, null, 9),
      webhooks.enqueue(message(first, "r2"))
    ]) {
      assert.strictEqual(yield* tagOf(as("b")<unknown, { readonly _tag: string }, never>(use)), "WebhookNotFound")
    }
    assert.strictEqual(yield* tagOf(webhooks.find("\u0000")), "WebhookNotFound")
    yield* as("a")(webhooks.remove(first.id))
    assert.deepStrictEqual(yield* idsOf(null), [second.id])
    // its messages are gone, and none is stored for it
    const late = Arr.makeBy(webhookLimits.queued, () => message(first, "r1"))
    assert.isTrue(yield* webhooks.advance(1, 2, [...late, message(second, "r1")]))
    const third = yield* as("a")(webhooks.create(fields, 9))
    yield* as("a")(webhooks.enqueue(message(third, "r1")))
    yield* as("a")(webhooks.remove(third.id))
    assert.deepStrictEqual(subjectsOf(yield* take(webhooks)), ["r1"])
    assert.isNull(yield* take(webhooks))
  })

  test("refuses more webhooks than an owner may have", function* (webhooks) {
    for (let count = 0; count < webhookLimits.webhooks; count++) yield* as("a")(webhooks.create(fields, 0))
    assert.strictEqual(yield* tagOf(as("a")(webhooks.create(fields, 0))), "NoRoom")
    assert.strictEqual(yield* tagOf(as("b")(webhooks.create(fields, 0))), "done")
  })

  test("queues each event's messages once", function* (webhooks) {
    const hook = yield* webhooks.create(fields, 0)
    assert.strictEqual(yield* webhooks.position, 0)
    const both = yield* Effect.all(
      [webhooks.advance(0, 3, [message(hook, "r1")]), webhooks.advance(0, 3, [message(hook, "r1")])],
      { concurrency: "unbounded" }
    )
    assert.sameMembers(both, [true, false])
    assert.strictEqual(yield* webhooks.position, 3)
    const [only, ...others] = yield* webhooks.deliveries(hook.id, null, 9)
    assert.lengthOf(others, 0)
    assert.deepInclude(only, { subject: "r1", messageId: "msg_r1", status: "queued", attempts: 0, response: null })
    assert.deepStrictEqual(yield* webhooks.delivery(hook.id, only?.id ?? ""), only)
    assert.strictEqual(yield* tagOf(webhooks.delivery(hook.id, "none")), "WebhookNotFound")
    const made = yield* webhooks.enqueue(message(hook, "t", { messageId: null }))
    assert.strictEqual(made.messageId, `msg_${made.id}`)
  })
}

const testSenders = (test: Test) => {
  test("gives each message to one sender, the oldest about each subject", function* (webhooks) {
    const hook = yield* webhooks.create(fields, 0)
    const other = yield* webhooks.create(fields, 0)
    yield* webhooks.advance(0, 1, [
      message(hook, "r1", { messageId: "msg_1" }),
      message(hook, "r2"),
      message(hook, "r1", { messageId: "msg_2" })
    ])
    const taken = yield* Effect.all(Arr.replicate(take(webhooks), 4), { concurrency: "unbounded" })
    const [r1 = assert.fail(), r2 = assert.fail(), ...more] = taken.flatMap((one) => one?.deliveries ?? [])
    assert.lengthOf(more, 0)
    assert.deepStrictEqual([r1.subject, r2.subject, r1.messageId], ["r1", "r2", "msg_1"])
    // they don't delay other messages of the webhook, nor those of another one
    yield* webhooks.advance(1, 2, [message(hook, "r3"), message(other, "r4")])
    assert.sameDeepMembers([subjectsOf(yield* take(webhooks)), subjectsOf(yield* take(webhooks))], [["r3"], ["r4"]])
    assert.isNull(yield* take(webhooks))
    yield* webhooks.record(r1, delivered)
    yield* webhooks.release(r2)
    const next = yield* take(webhooks)
    assert.sameMembers(next?.deliveries.map(({ messageId }) => messageId) ?? [], ["msg_2", "msg_r2"])
  })

  test("gives webhooks turns, and a sender no more messages than it may send at once", function* (webhooks) {
    const hook = yield* webhooks.create(fields, 0)
    const other = yield* webhooks.create(fields, 0)
    const many = ["r1", "r2", "r3", "r4"].map((subject) => message(hook, subject))
    yield* webhooks.advance(0, 1, [...many, message(other, "r5"), message(other, "r6")])
    const next = (count: number) => Effect.map(webhooks.take(minute_ms, 2, new Map([[hook.id, count]])), subjectsOf)
    assert.deepStrictEqual([yield* next(1), yield* next(0), yield* next(2)], [["r1"], ["r5", "r6"], null])
    assert.deepStrictEqual(yield* next(0), ["r2", "r3"])
  })

  test("waits after a failed attempt, and delays later messages about the same subject", function* (webhooks) {
    const hook = yield* webhooks.create(fields, 0)
    assert.isNull(yield* webhooks.nextIn)
    yield* webhooks.advance(0, 1, [message(hook, "r1")])
    assert.strictEqual(yield* webhooks.nextIn, 0)
    const delivery = (yield* take(webhooks))?.deliveries[0] ?? assert.fail()
    yield* webhooks.record(delivery, failed(minute_ms))
    // the outcome of an attempt that another sender recorded
    yield* webhooks.record(delivery, delivered)
    yield* webhooks.advance(1, 2, [message(hook, "r1")])
    yield* webhooks.release(delivery)
    assert.isNull(yield* take(webhooks))
    const stored = yield* webhooks.delivery(hook.id, delivery.id)
    assert.deepInclude(stored, { status: "queued", attempts: 1, response: 503, error: "The response was 503" })
    assert.isNull(stored.finishedAt_ms)
    yield* webhooks.record(stored, { status: "failed", wait_ms: 0, response: null, error: "No response" })
    const over = yield* webhooks.delivery(hook.id, delivery.id)
    assert.deepInclude(over, { status: "failed", attempts: 2, response: null, error: "No response", nextAt_ms: null })
    assert.isNotNull(over.finishedAt_ms)
    assert.deepStrictEqual(subjectsOf(yield* take(webhooks)), ["r1"])
  })

  test("gives the messages of a lost sender to another one", function* (webhooks) {
    const hook = yield* webhooks.create(fields, 0)
    yield* webhooks.advance(0, 1, [message(hook, "r1")])
    const [lost] = (yield* take(webhooks, 9, 200))?.deliveries ?? []
    assert.isNull(yield* take(webhooks))
    yield* Effect.sleep("250 millis")
    const [taken] = (yield* take(webhooks))?.deliveries ?? []
    assert.strictEqual(taken?.id, lost?.id)
    // the first sender wakes up again, and the message stays with the second
    yield* webhooks.release(lost ?? assert.fail())
    assert.isNull(yield* take(webhooks))
    yield* webhooks.release(taken ?? assert.fail())
    assert.deepStrictEqual(subjectsOf(yield* take(webhooks)), ["r1"])
    yield* webhooks.record(taken ?? assert.fail(), delivered)
    yield* webhooks.release(taken ?? assert.fail())
    assert.isNull(yield* webhooks.nextIn)
  })

  test("sends nothing to an inactive webhook, and keeps its messages", function* (webhooks) {
    const hook = yield* webhooks.create(fields, 0)
    yield* webhooks.update(hook.id, { isActive: false })
    yield* webhooks.enqueue(message(hook, "r1"))
    assert.isNull(yield* webhooks.nextIn)
    assert.isNull(yield* take(webhooks))
    yield* webhooks.update(hook.id, { isActive: true })
    assert.deepStrictEqual(subjectsOf(yield* take(webhooks)), ["r1"])
  })

  test("stores messages above a webhook's limit as refused, and none of the owner's other webhooks", function* (webhooks) {
    const [hook, other] = yield* Effect.all([webhooks.create(fields, 0), webhooks.create(fields, 0)])
    const many = Arr.makeBy(webhookLimits.queued, (index) => message(hook, `r${index}`))
    yield* webhooks.advance(0, 1, [...many, message(hook, "refused"), message(other, "r1")])
    const [refused, last] = yield* webhooks.deliveries(hook.id, null, 2)
    assert.deepInclude(refused, { subject: "refused", status: "refused", nextAt_ms: null, attempts: 0 })
    assert.include(refused?.error ?? "", "1000 messages were already waiting")
    assert.strictEqual(last?.status, "queued")
    assert.strictEqual(yield* tagOf(webhooks.enqueue(message(hook, "r1"))), "NoRoom")
    yield* webhooks.enqueue(message(other, "r1"))
    assert.deepStrictEqual(
      (yield* webhooks.deliveries(other.id, null, 3)).map(({ status }) => status),
      ["queued", "queued"]
    )
    // pages of the log
    const page = yield* webhooks.deliveries(hook.id, refused?.id ?? "", 2)
    assert.deepStrictEqual(
      page.map(({ subject }) => subject),
      ["r999", "r998"]
    )
  })

  test("stores a repeatable message once per webhook", function* (webhooks) {
    const [hook, other] = yield* Effect.all([webhooks.create(fields, 0), webhooks.create(fields, 0)])
    yield* webhooks.advance(0, 1, [message(hook, "s", { once: "today" })])
    yield* webhooks.advance(1, 2, [message(hook, "s", { once: "today" }), message(other, "s", { once: "today" })])
    assert.lengthOf(yield* webhooks.deliveries(hook.id, null, 9), 1)
    assert.lengthOf(yield* webhooks.deliveries(other.id, null, 9), 1)
  })

  test("deletes finished messages, the oldest first", function* (webhooks) {
    const hook = yield* webhooks.create(fields, 0)
    yield* webhooks.advance(0, 1, [message(hook, "r1"), message(hook, "r2"), message(hook, "r3")])
    const taken = yield* take(webhooks, 2)
    for (const one of taken?.deliveries ?? []) yield* webhooks.record(one, delivered)
    assert.strictEqual(yield* webhooks.prune(0, 9), 0)
    const later = Number.MAX_SAFE_INTEGER
    assert.deepStrictEqual([yield* webhooks.prune(later, 1), yield* webhooks.prune(later, 9)], [1, 1])
    assert.strictEqual(yield* webhooks.prune(later, 9), 0)
    assert.deepStrictEqual(
      (yield* webhooks.deliveries(hook.id, null, 9)).map(({ subject }) => subject),
      ["r3"]
    )
  })
}

/** Tests every storage of webhooks. The layer is built for each test and starts empty. */
export const webhooksContract = <E>(name: string, layer: Layer.Layer<never, E>): void => {
  const test = portTest(Webhooks, layer)

  describe(`${name} as storage of webhooks`, () => {
    testOwners(test)
    testSenders(test)
  })
}
