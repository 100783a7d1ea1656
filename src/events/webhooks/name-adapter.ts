import { Resolver } from 'node:dns/promises'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import type { ResolvedAddress, ResolveName } from './ports.ts'

/** The name has no address, or no name server has answered: in both cases no request reached the receiver. */
class NameUnresolved extends Error {
  readonly code = 'NAME_UNRESOLVED'
}

/**
 * Looks up names with sockets and a deadline per look-up. `dns.lookup` would use threads that all look-ups of the
 * process share, so two names whose server is silent would stop everyone else's webhooks.
 */
export function createResolve({
  deadlineMs,
  searches,
  hostsFile = '/etc/hosts',
  resolverFile = '/etc/resolv.conf',
  servers,
}: {
  deadlineMs: number
  /** Whether a name may be an abbreviation in this machine's search domains: public names are complete. */
  searches(name: string): boolean
  hostsFile?: string
  resolverFile?: string
  servers?: readonly string[]
}): ResolveName {
  /** One resolver per look-up: it reads the machine's current settings, and its queries end with the deadline. */
  async function ask(name: string, endsAt: number): Promise<ResolvedAddress[]> {
    const leftMs = Math.max(Math.round(endsAt - performance.now()), 1)
    const resolver = new Resolver({ timeout: Math.ceil(leftMs / 3), tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    const timer = setTimeout(() => resolver.cancel(), leftMs)
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
      return answers.flatMap((answer, index) =>
        answer.status === 'rejected'
          ? []
          : answer.value.map(address => ({ address, family: index === 0 ? 4 : 6 })),
      )
    } finally {
      clearTimeout(timer)
    }
  }

  return async host => {
    const name = host.toLowerCase().replace(/\.$/, '')
    const known = listedAddresses(readText(hostsFile), name)
    if (known.length > 0) return known
    if (name === 'localhost') return [toAddress('127.0.0.1')]
    const endsAt = performance.now() + deadlineMs
    const domains = host.endsWith('.') || !searches(name) ? [] : searchDomains(readText(resolverFile))
    for (const candidate of [name, ...domains.map(domain => `${name}.${domain}`)]) {
      const found = performance.now() < endsAt ? await ask(candidate, endsAt) : []
      if (found.length > 0) return found
    }
    throw new NameUnresolved('no address, or no answer from a name server')
  }
}

const toAddress = (address: string): ResolvedAddress => ({ address, family: isIP(address) })

/** Read for each look-up, as the system does: both files are short and may change while the process runs. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function listedAddresses(hosts: string, name: string): ResolvedAddress[] {
  const entries = hosts.split('\n').map(line => line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/))
  const addresses = entries.flatMap(([address = '', ...names]) =>
    names.includes(name) && isIP(address) > 0 ? [address] : [],
  )
  return [...new Set(addresses)].map(toAddress)
}

/** The last line wins, as in resolv.conf(5). */
function searchDomains(settings: string): string[] {
  const lines = [...settings.matchAll(/^(?:search|domain)[ \t]+(.+)$/gm)]
  return (lines.at(-1)?.[1] ?? '').split(/\s+/).filter(domain => domain !== '' && domain !== '.')
}
