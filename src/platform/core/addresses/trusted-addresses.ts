import { BlockList, isIPv6 } from 'node:net'

/** Returns a function that checks whether an address is in the list of addresses and networks, such as `10.0.0.0/8`. */
export function addressMatcher(list: readonly string[]): (address: string | undefined) => boolean {
  const known = new BlockList()
  for (const entry of list) {
    const [address = '', prefix] = entry.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    known.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  // Also matches IPv4 addresses in the mapped form of an IPv6 socket.
  return (address = '') => known.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
