const loopbackNames = new Set(['localhost', '::1', '[::1]'])

/** Is this host, as it stands in HOST, in a URL or in a Host header without its port, this machine itself? */
export function isLoopbackHost(host: string): boolean {
  return loopbackNames.has(host.toLowerCase()) || /^127(\.\d{1,3}){3}$/.test(host)
}
