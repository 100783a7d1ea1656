import { connect } from 'node:tls'
import type { Modules } from '../../platform/core/modules.ts'
import { reasonOf } from '../../platform/core/reason.ts'
import type { CheckResult } from '../home/ports.ts'

type Config = Modules['platform']['config']

const fewDays = 14
const answerMs = 5_000
const chainAdvice =
  'send the whole chain (fullchain.pem), or, if it is of your own authority, set NODE_EXTRA_CA_CERTS'

/**
 * The certificates that callers see; none without https. An address that this machine cannot reach is no fault of the
 * proxy.
 */
export async function* checkCertificates({ BASE_URL, AUTH_URL }: Config): AsyncGenerator<CheckResult> {
  const origins = new Set([BASE_URL, AUTH_URL].filter(origin => origin?.startsWith('https:')))
  for (const origin of origins) yield await checkCertificate(new URL(String(origin)))
}

async function checkCertificate({ hostname, port, host }: URL): Promise<CheckResult> {
  const what = 'TLS'
  const server = hostname.replace(/^\[|\]$/g, '')
  try {
    const { validTo, fault } = await certificateOf(server, Number(port || 443))
    const days = Math.floor((validTo - Date.now()) / 86_400_000)
    const valid = `the certificate of ${host} is valid for ${days} more days`
    if (days < 0)
      return { what, isFine: false, says: `the certificate of ${host} expired ${-days} days ago: renew it` }
    if (fault !== undefined)
      return {
        what,
        isFine: false,
        says: `the certificate of ${host} is not trusted (${fault}): ${chainAdvice}`,
      }
    if (days < fewDays) return { what, isFine: false, says: `${valid}: renew it` }
    return { what, isFine: true, says: valid }
  } catch (error) {
    return { what, isFine: true, says: `${host} cannot be reached from this machine (${reasonOf(error)})` }
  }
}

function certificateOf(host: string, port: number): Promise<{ validTo: number; fault: string | undefined }> {
  return new Promise((resolve, reject) => {
    // Read also if it is invalid: the result says why.
    const socket = connect({ host, port, servername: isName(host) ? host : '', rejectUnauthorized: false })
    socket.setTimeout(answerMs, () => socket.destroy(new Error(`no answer within ${answerMs} ms`)))
    socket.once('error', reject).once('secureConnect', () => {
      const { valid_to } = socket.getPeerCertificate()
      const { authorizationError: fault } = socket
      resolve({ validTo: Date.parse(valid_to), fault: fault ? reasonOf(fault) : undefined })
      socket.destroy()
    })
  })
}

/** Whether a host is a name: TLS names no server by its address. */
const isName = (host: string) => !/^[\d.]+$|:/.test(host)
