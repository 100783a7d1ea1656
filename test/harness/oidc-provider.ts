import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** oidc-provider in its own process. Anyone may log in there with any name, which is the person's subject; addresses of names that begin with `unverified` are not verified. */
export async function startOidcProvider(client: { id: string; secret: string }, logoutUri?: string) {
  const script = fileURLToPath(new URL('./oidc-provider-process.ts', import.meta.url))
  const parameters = [client.id, client.secret, ...(logoutUri === undefined ? [] : [logoutUri])]
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...parameters], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = await once(child.stdout, 'data')
  return {
    issuer: String(line).trim(),
    async close() {
      child.kill()
      await once(child, 'exit')
    },
  }
}
