const loopbackNames = new Set(['localhost', '::1', '[::1]'])

/** Whether this host (from HOST, a URL, or a Host header without its port) means this machine. */
export function isLoopbackHost(host: string): boolean {
  return loopbackNames.has(host.toLowerCase()) || /^127(\.\d{1,3}){3}$/.test(host)
}
