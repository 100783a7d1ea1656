import { findClamd } from './clamd.ts'
import { installFromDebian } from './debian.ts'

if ((await findClamd()) === undefined) installFromDebian('the tests of virus scanning', 'clamav-daemon')
