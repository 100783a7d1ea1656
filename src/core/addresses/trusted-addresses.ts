import { BlockList, isIPv6 } from 'node:net'

/** Tells whether an address is one of these, or in one of these networks, such as `10.0.0.0/8`. */
export function addressMatcher(list: readonly string[]): (address: string | undefined) => boolean {
  const known = new BlockList()
  for (const entry of list) {
    const [address = '', prefix] = entry.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    known.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  // Also an IPv4 address in the form that a socket of IPv6 gives it.
  return (address = '') => known.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
