import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"
import * as Option from "effect/Option"

/**
 * Ranges that are not the public Internet: IANA's special-purpose registries, and the addresses of cloud metadata
 * services. Ranges that the registries currently call global are refused as well if they contain no website (anycast of
 * protocols, retired relays).
 */
const special = [
  ["0.0.0.0/8", "this network"],
  ["10.0.0.0/8", "a private network"],
  ["100.64.0.0/10", "a carrier's network"],
  ["127.0.0.0/8", "loopback"],
  ["168.63.129.16/32", "a cloud's metadata"],
  ["169.254.0.0/16", "link-local"],
  ["172.16.0.0/12", "a private network"],
  ["192.0.0.0/24", "reserved"],
  ["192.0.2.0/24", "documentation"],
  ["192.88.99.0/24", "a 6to4 relay"],
  ["192.168.0.0/16", "a private network"],
  ["198.18.0.0/15", "benchmarking"],
  ["198.51.100.0/24", "documentation"],
  ["203.0.113.0/24", "documentation"],
  ["224.0.0.0/4", "multicast"],
  ["255.255.255.255/32", "broadcast"],
  ["240.0.0.0/4", "reserved"],
  ["::/128", "unspecified"],
  ["::1/128", "loopback"],
  ["::/96", "an IPv4-compatible address"],
  ["64:ff9b:1::/48", "local NAT64"],
  ["2001::/32", "Teredo"],
  ["2001::/23", "reserved"],
  ["2001:db8::/32", "documentation"],
  ["2002::/16", "6to4"],
  ["3fff::/20", "documentation"],
  ["fc00::/7", "a private network"],
  ["fe80::/10", "link-local"],
  ["fec0::/10", "site-local"],
  ["ff00::/8", "multicast"]
].map(([network = "", name = ""]) => ({ network: IpNetwork.fromStringUnsafe(network), name }))

const nat64 = IpNetwork.fromStringUnsafe("64:ff9b::/96")
const globalUnicast = IpNetwork.fromStringUnsafe("2000::/3")

/** The IPv4 address that an IPv6 address stands for, because a connection to the latter reaches the former. */
const embedded = (address: NetAddress.Ipv6Address): Option.Option<NetAddress.Ipv4Address> =>
  IpNetwork.contains(nat64, address)
    ? Option.some(NetAddress.ipv4FromBytesUnsafe(Uint8Array.from(NetAddress.ipv6ToOctets(address).slice(12))))
    : NetAddress.fromIpv4Mapped(address)

/** The reason why an address is not on the public Internet; undefined if it is. */
export const notPublic = (address: NetAddress.IpAddress): string | undefined => {
  const specialNetwork = special.find(({ network }) => IpNetwork.contains(network, address))
  if (specialNetwork !== undefined) return specialNetwork.name
  if (NetAddress.isIpv4Address(address)) return undefined
  const inside = embedded(address)
  if (Option.isSome(inside)) return notPublic(inside.value)
  return IpNetwork.contains(globalUnicast, address) ? undefined : "not global unicast"
}
