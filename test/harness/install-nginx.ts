import { findDaemon, installFromDebian } from './debian.ts'

if ((await findDaemon('nginx')) === undefined) {
  installFromDebian('the tests behind a proxy', 'nginx-light')
}
