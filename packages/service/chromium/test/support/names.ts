import * as Layer from "effect/Layer"
import * as Dns from "effect/net/Dns"
import * as NetAddress from "effect/net/NetAddress"

/** The address record of an address. */
export const record = (text: string): Dns.DnsRecord => {
  const address = NetAddress.ipFromStringUnsafe(text)
  return NetAddress.isIpv4Address(address)
    ? Dns.makeRecordUnsafe("A", { address })
    : Dns.makeRecordUnsafe("AAAA", { address })
}

/** A resolver that knows these names and no others. */
export const names = (hosts: Readonly<Record<string, ReadonlyArray<string>>>): Layer.Layer<Dns.Dns> =>
  Layer.orDie(
    Dns.layerStatic({
      records: Object.fromEntries(Object.entries(hosts).map(([name, addresses]) => [name, addresses.map(record)]))
    })
  )
