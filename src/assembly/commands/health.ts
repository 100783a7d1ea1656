import { flag } from '../../platform/cli/arguments.ts'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import { reasonOf } from '../../platform/core/reason.ts'
import { configOf } from '../process/context.ts'
import { plainCommand } from './command.ts'

/** Longer than `/health/ready` takes, even if the file store does not respond. */
const giveUpMs = 8000

/** For container health checks: queries the service on this machine, with the settings that it was started with. */
export const health = plainCommand({
  about: 'Ask the service on this machine whether it is ready; the exit code is 0 if it is and 1 if not.',
  options: { live: flag('ask only whether it responds') },
  async run(context, { live }) {
    const { HOST, PORT } = configOf(context)
    if (PORT === 0)
      throw new CommandError('PORT is 0, any free port: set it to that of the service.', exitCodes.usage)
    const { status, text } = await ask(addressOf(HOST), PORT, live ? '/health/live' : '/health/ready')
    const { detail, warnings = [] } = contentOf(text)
    if (status !== 200) throw new CommandError(`The service answers ${status}. ${detail ?? ''}`.trim())
    return warnings
  },
  prints: warnings => (warnings.length === 0 ? 'ok' : `ok, with warnings: ${warnings.join(', ')}`),
})

/** The address at which the same machine reaches a service that listens on this host. */
function addressOf(host: string): string {
  if (host === 'localhost' || host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

async function ask(host: string, port: number, path: string): Promise<{ status: number; text: string }> {
  // Every command loads this file, and importing node:http would also load the client of fetch().
  const { request } = await import('node:http')
  const signal = AbortSignal.timeout(giveUpMs)
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) =>
      reject(new CommandError(`No answer on port ${port} of ${host} (${reasonOf(error)}).`))
    request({ host, port, path, signal, agent: false }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', more => {
        text += more
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text })).on('error', fail)
    })
      .on('error', fail)
      .end()
  })
}

/** The port may belong to another program. */
function contentOf(text: string): { detail?: string; warnings?: string[] } {
  try {
    const content: unknown = JSON.parse(text)
    return typeof content === 'object' && content !== null ? content : {}
  } catch {
    return {}
  }
}
