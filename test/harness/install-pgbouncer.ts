import { findDaemon, installFromDebian } from './debian.ts'

if ((await findDaemon('pgbouncer')) === undefined) {
  installFromDebian('the tests of PostgreSQL through a pooler', 'pgbouncer')
}
