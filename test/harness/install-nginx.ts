import { findDaemon, installFromDebian } from './debian.ts'

// openssl makes the certificate of the test with TLS.
const missing = { nginx: 'nginx-light', openssl: 'openssl' }
for (const [program, name] of Object.entries(missing)) {
  if ((await findDaemon(program)) === undefined) installFromDebian('the tests behind a proxy', name)
}
