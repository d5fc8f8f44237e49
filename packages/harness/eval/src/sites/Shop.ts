import * as Draw from "./Draw.ts"
import { markup, options, page } from "./Html.ts"
import type { Episode, PageRequest, PageResponse, Site } from "./Site.ts"

interface Product {
  readonly id: number
  readonly name: string
  readonly kind: string
  readonly price: number
}

interface Line {
  readonly item: string
  readonly quantity: number
}

interface Order {
  readonly lines: ReadonlyArray<Line>
  readonly shipping: string
  readonly name: string
  readonly street: string
  readonly city: string
}

const colors = ["Red", "Blue", "Green", "Black", "White"]
const kinds = ["mug", "lamp", "chair", "clock", "vase"]
const shippings = ["Standard", "Express", "Pickup"]
const people = ["Ada Park", "Ben Ito", "Carla Diaz", "Dev Rao"]
const streets = ["1 Mill Lane", "22 Oak Street", "305 Harbor Road"]
const cities = ["Springfield", "Riverton", "Lakeside"]
const pageSize = 8

const productsOf = (random: () => number): ReadonlyArray<Product> => {
  // no two prices are the same, so that there is one cheapest product
  const prices = Draw.shuffled(
    random,
    Array.from({ length: colors.length * kinds.length }, (_, at) => 9 + at)
  )
  return Draw.shuffled(
    random,
    colors.flatMap((color) => kinds.map((kind) => ({ kind, name: `${color} ${kind}` })))
  ).map((product, id) => ({ ...product, id: id + 1, price: prices[id] ?? 0 }))
}

const navigation = markup`<nav><a href="./">Products</a><a href="cart">Cart</a></nav>
  <form action="./"><label>Search <input name="q"></label><button>Search</button></form>`

/** The state of one shop, and its pages. */
const open = (products: ReadonlyArray<Product>) => {
  const cart = new Map<string, number>()
  const orders: Array<Order> = []
  const lines = (): ReadonlyArray<Line> => [...cart].map(([item, quantity]) => ({ item, quantity }))

  const listed = ({ query }: PageRequest) => {
    const wanted = (query.get("q") ?? "").toLowerCase()
    const matching = products.filter(({ name }) => name.toLowerCase().includes(wanted))
    const at = Number(query.get("page") ?? 0)
    const shown = matching.slice(at * pageSize, (at + 1) * pageSize)
    const more = matching.length > (at + 1) * pageSize
    return page(
      "Shop",
      markup`${navigation}<ul>${shown.map(({ id, name, price }) => markup`<li><a href="item?id=${id}">${name}</a> ${price}.00 USD</li>`)}</ul>
        ${more ? markup`<a href="./?q=${encodeURIComponent(wanted)}&page=${at + 1}">Next page</a>` : undefined}`
    )
  }

  const cartPage = () =>
    page(
      "Cart",
      cart.size === 0
        ? markup`${navigation}<p>Your cart is empty.</p>`
        : markup`${navigation}<ul>${lines().map(
            ({ item, quantity }) =>
              markup`<li>${quantity} × ${item} <form method="post" action="remove"><button name="item" value="${item}">Remove ${item}</button></form></li>`
          )}</ul><a href="checkout">Check out</a>`
    )

  const checkout = (error?: string) =>
    page(
      "Checkout",
      markup`${navigation}${error === undefined ? undefined : markup`<p class="error">${error}</p>`}
        <form method="post" action="order">
          <label>Name <input name="name"></label><label>Street <input name="street"></label>
          <label>City <input name="city"></label>
          <label>Shipping <select name="shipping">${options(shippings)}</select></label>
          <button>Place order</button></form>`
    )

  const respond = (request: PageRequest): PageResponse | undefined => {
    const { form, method, path, query } = request
    const product = products.find(({ id }) => String(id) === (query.get("id") ?? form.get("id")))
    switch (`${method} ${path}`) {
      case "GET /":
        return listed(request)
      case "GET /item":
        return (
          product &&
          page(
            product.name,
            markup`${navigation}<p>${product.price}.00 USD</p><form method="post" action="add"><input type="hidden" name="id" value="${product.id}">
              <label>Quantity <input name="quantity" type="number" value="1" min="1"></label><button>Add to cart</button></form>`
          )
        )
      case "POST /add":
        if (product === undefined) return undefined
        cart.set(product.name, (cart.get(product.name) ?? 0) + Math.max(1, Number(form.get("quantity"))))
        return { redirect: "cart" }
      case "POST /remove":
        cart.delete(form.get("item") ?? "")
        return { redirect: "cart" }
      case "GET /cart":
        return cartPage()
      case "GET /checkout":
        return checkout()
      case "POST /order": {
        const field = (name: string) => (form.get(name) ?? "").trim()
        const order = { name: field("name"), street: field("street"), city: field("city"), shipping: field("shipping") }
        if (Object.values(order).includes("")) return checkout("Fill in all fields.")
        if (cart.size === 0) return checkout("Your cart is empty.")
        orders.push({ lines: lines(), ...order })
        cart.clear()
        return page("Thank you", markup`${navigation}<p>Order ${orders.length} was placed.</p>`)
      }
      default:
        return undefined
    }
  }
  return { respond, actual: () => ({ cart: lines(), orders }) }
}

const order = (random: () => number): Episode => {
  const products = productsOf(random)
  const [item, quantity] = [Draw.one(random, products).name, Draw.whole(random, 2, 4)]
  const to = { name: Draw.one(random, people), street: Draw.one(random, streets), city: Draw.one(random, cities) }
  return {
    instruction: (address) =>
      `Open ${address} and order ${quantity} of the product "${item}" with express shipping to ${to.name}, ${to.street}, ${to.city}.`,
    expected: { cart: [], orders: [{ lines: [{ item, quantity }], ...to, shipping: "Express" }] },
    ...open(products)
  }
}

const cheapest = (random: () => number): Episode => {
  const products = productsOf(random)
  const kind = Draw.one(random, kinds)
  const [best] = products.filter((product) => product.kind === kind).toSorted((a, b) => a.price - b.price)
  return {
    instruction: (address) =>
      `Open ${address} and put the cheapest ${kind} into the cart, one piece and nothing else. Do not place an order.`,
    expected: { cart: [{ item: best?.name, quantity: 1 }], orders: [] },
    ...open(products)
  }
}

/** A shop with search, pages, a cart and a checkout. */
export const shop: Site = {
  name: "shop",
  summary: "order a product, and find the cheapest one, over several pages",
  tasks: [
    { name: "order a product", begin: order },
    { name: "put the cheapest product into the cart", begin: cheapest }
  ]
}
