export function headerBytes(rawHeaders: readonly string[]): number {
  let bytes = 0
  // Each of name and value is followed by two bytes: ": " or the line end.
  for (const part of rawHeaders) bytes += part.length + 2
  return bytes
}

export function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts
}
