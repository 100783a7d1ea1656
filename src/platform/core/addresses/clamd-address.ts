/** clamd's address in the form accepted by `net.connect`. */
export type ClamdAddress = { path: string } | { host: string; port: number }

/** Parses `unix:///path` and `tcp://host:port`; undefined for other text. */
export function readClamdAddress(text: string): ClamdAddress | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password, hostname, port, pathname, search, hash } = new URL(text)
  if (username !== '' || password !== '' || search !== '' || hash !== '') return undefined
  if (protocol === 'unix:' && hostname === '' && pathname.length > 1) {
    const path = decoded(pathname)
    return path === undefined ? undefined : { path }
  }
  if (protocol === 'tcp:' && hostname !== '' && Number(port) > 0 && (pathname === '' || pathname === '/')) {
    return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
  }
  return undefined
}

/** Undefined if the escapes are invalid: the address is then rejected as a setting. */
function decoded(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return undefined
  }
}
