import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Network = readonly [Address, number]

/** Names and networks within the operator's own network to which requests may go, besides public addresses. */
export interface AllowedHosts {
  names: ReadonlySet<string>
  networks: readonly Network[]
}

export const noAllowedHosts: AllowedHosts = { names: new Set(), networks: [] }

/** Parses names and networks separated by commas; throws an Error that states the expected form. */
export function readAllowedHosts(text: string): AllowedHosts {
  const names = new Set<string>()
  const networks: Network[] = []
  for (const part of text.split(',').map(each => each.trim().toLowerCase())) {
    if (ipaddr.isValidCIDR(part)) networks.push(ipaddr.parseCIDR(part))
    else if (ipaddr.isValid(part)) networks.push([ipaddr.parse(part), part.includes(':') ? 128 : 32])
    else if (/^(?=.*[a-z])[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(part)) names.add(part)
    else throw new Error('must be names or networks separated by commas, such as ats.internal, 10.1.0.0/16')
  }
  return { names, networks }
}

/** The literal address in a URL's host, without brackets; undefined for a name. */
export function addressLiteral(host: string): string | undefined {
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  return ipaddr.isValid(bare) ? bare : undefined
}

/** Whether the operator has listed this host, by its name or by a network that contains its address. */
export function isListedHost(host: string, allowed: AllowedHosts): boolean {
  const literal = addressLiteral(host)
  return literal === undefined ? allowed.names.has(host.toLowerCase()) : isInside(literal, allowed.networks)
}

/**
 * Whether a connection to this address may be opened, for a URL with this host. Addresses not known to be public are
 * refused, unless the operator has listed the name or the network. Link-local addresses, which include the metadata
 * services of clouds, are refused even then.
 */
export function mayConnect(host: string, address: string, allowed: AllowedHosts): boolean {
  if (!ipaddr.isValid(address)) return false
  const found = unwrapped(ipaddr.parse(address))
  if (isLinkLocal(found)) return false
  return isPublic(found) || allowed.names.has(host.toLowerCase()) || isInside(address, allowed.networks)
}

/**
 * The addresses of a name that a connection may use; undefined if one of them is refused, as a sign of DNS rebinding.
 */
export function vetAddresses<A extends { address: string }>(
  host: string,
  addresses: readonly A[],
  allowed: AllowedHosts,
): readonly A[] | undefined {
  const areAllFine = addresses.every(({ address }) => mayConnect(host, address, allowed))
  return areAllFine && addresses.length > 0 ? addresses : undefined
}

const globalUnicast = ipaddr.parseCIDR('2000::/3')
/** Networks that embed IPv4 addresses: mapped addresses, and the prefix of NAT64 and DNS64. */
const aroundIpv4 = [ipaddr.parseCIDR('::ffff:0:0/96'), ipaddr.parseCIDR('64:ff9b::/96')]
const linkLocal = ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::254/128'].map(each => ipaddr.parseCIDR(each))

/** The embedded IPv4 address, where a router would unwrap it. */
function unwrapped(address: Address): Address {
  const isAround = aroundIpv4.some(network => isIn(address, network))
  return isAround ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address
}

/** The library's ranges alone are not sufficient: it treats ::7f00:1 and 4000::1 as unicast. */
function isPublic(address: Address): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isIn(address, globalUnicast))
}

const isLinkLocal = (address: Address) => linkLocal.some(network => isIn(address, network))

const isInside = (text: string, networks: readonly Network[]) => {
  const address = unwrapped(ipaddr.parse(text))
  return networks.some(network => isIn(address, network))
}

function isIn(address: Address, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match([network, bits])
}
