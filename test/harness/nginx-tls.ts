import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readText } from './repository.ts'

export const tlsName = 'jobs.example.com'

/** A self-signed certificate, in the files that `tlsServers` names. */
export async function makeCertificate(folder: string, name = tlsName): Promise<string> {
  const [key, certificate] = [join(folder, 'privkey.pem'), join(folder, 'fullchain.pem')]
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  await promisify(execFile)('openssl', [
    'req',
    '-x509',
    '-nodes',
    '-days',
    '1',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-keyout',
    key,
    '-out',
    certificate,
    ...subject,
  ])
  return readFile(certificate, 'utf8')
}

/** The shipped configuration, reading and writing only in this folder, in front of a service on this port. */
export function tlsServers(listen: string, servicePort: number, folder: string): string {
  return [
    [/^ *listen \[::\].*\n/gm, ''],
    ['listen 80;', `listen unix:${join(folder, 'plain.sock')};`],
    ['listen 443 ssl http2;', listen.replace(';', ' ssl http2;')],
    ['127.0.0.1:8080', `127.0.0.1:${servicePort}`],
    [/\/etc\/letsencrypt\/live\/jobs\.example\.com/g, folder],
    [/\/var\/log\/nginx/g, folder],
  ].reduce((config: string, [placeholder = '', value = '']) => {
    const changed = config.replace(placeholder, String(value))
    if (changed === config) throw new Error(`deploy/nginx.conf has no ${placeholder}`)
    return changed
  }, readText('deploy/nginx.conf'))
}
