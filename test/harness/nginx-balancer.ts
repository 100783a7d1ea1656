import { readText } from './repository.ts'

/** The balancer of the guide in front of nodes on these ports. */
export function balancerServer(listen: string, ports: readonly number[]): string {
  const [, config = ''] = /```nginx\n([^`]*@keyed[^`]*)```/.exec(readText('docs/operating/running.md')) ?? []
  const nodes = ports.map(port => `server 127.0.0.1:${port} max_fails=1 fail_timeout=1s;`)
  const server = config
    .replace('# listen, TLS', listen)
    .replace(/(?: *server 10\.0\.0\.\d:8080 .*\n)+/, `  ${nodes.join('\n  ')}\n`)
  if (!server.includes(listen) || !server.includes(`:${ports[0]} `))
    throw new Error('the guide has another balancer')
  return server
}
